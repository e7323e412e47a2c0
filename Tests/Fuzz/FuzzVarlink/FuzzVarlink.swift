import CleatAPI
import CleatJSON
import CleatVarlink

/// Fuzzes what a stranger sends: the framing must not depend on how a stream is cut, calls and replies must read back
/// from what is written, the generated codec must accept what the descriptions allow and nothing else, and an interface
/// description must mean the same in its formatted text.
///
/// The package manager gives every executable a main function of its own, so libFuzzer's driver is called from there.
@main
enum FuzzVarlink {
    static func main() {
        var count = CommandLine.argc
        var arguments = unsafe CommandLine.unsafeArgv
        let status = unsafe runFuzzer(&count, &arguments) { start, count in unsafe testOneInput(start, count) }
        precondition(status == 0, "the fuzzer failed")
    }
}

/// Tests one input; libFuzzer's own main function, which is linked but not used, asks for the name.
///
/// - Parameters:
///   - start: The first byte of the input.
///   - count: The number of bytes.
/// - Returns: 0 always, as libFuzzer wants it.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    fuzzFraming(bytes)
    fuzzDescription(String(decoding: bytes, as: UTF8.self))
    return 0
}

// MARK: Framing

private let limits = VarlinkLimits(message: 256, depth: 16)

private func fuzzFraming(_ bytes: [UInt8]) {
    let (messages, failure) = frame([bytes])
    // The first byte says how the stream is cut.
    let step = Int(bytes.first ?? 0) % 7 + 1
    let chunks = stride(from: 0, to: bytes.count, by: step).map { Array(bytes[$0..<min($0 + step, bytes.count)]) }
    let (again, failureAgain) = frame(chunks)
    precondition(messages == again && failure == failureAgain, "the cut matters")
    for message in messages {
        precondition(!message.isEmpty && message.count <= limits.message && !message.contains(0), "not a message")
        fuzzCall(message)
        fuzzReply(message)
    }
}

private func frame(_ chunks: [[UInt8]]) -> ([[UInt8]], MessageFramer.Failure?) {
    var framer = MessageFramer(limit: limits.message)
    var messages: [[UInt8]] = []
    for chunk in chunks where !chunk.isEmpty {
        framer.append(chunk)
        do throws(MessageFramer.Failure) {
            while let message = try framer.next() { messages.append(Array(message)) }
        } catch {
            return (messages, error)
        }
        precondition(framer.pending <= limits.message, "too much is kept")
    }
    return (messages, nil)
}

// MARK: Messages

private let interface = InterfaceDescription(
    constant: """
        interface a.b
        type T (a: ?int, b: ?[]T, c: ?[string]?T)
        method M(a: ?bool, b: ?int, c: ?float, d: ?string, e: ?object, f: ?(x, y), g: ?T, h: ?[]object) -> ()
        """)

private func fuzzCall(_ message: [UInt8]) {
    switch IncomingCall.decode(ArraySlice(message), limits: limits) {
    case .call(let call):
        fuzzCodec(call.parameters, Int(message[message.count / 2]))
        let text = OutgoingMessage.call(call.method, call.parameters.encoded, more: call.more)
        precondition(text.firstIndex(of: 0) == text.count - 1, "the message ends early")
        let again = IncomingCall.decode(text.dropLast(), limits: VarlinkLimits(message: 1 << 20))
        precondition(call.oneway || again == .call(call), "the call reads back otherwise")
        if let error = interface.validate(call.parameters, of: "M") {
            guard case .string(let member)? = error.parameters["parameter"] else {
                preconditionFailure("nothing is named")
            }
            // A call can have a parameter whose name is empty.
            precondition(!member.isEmpty || call.parameters[""] != nil, "nothing is named")
        }
    case .refused(let error, _):
        precondition(error.shortName == "InvalidParameter", "refused otherwise")
    case .malformed(let reason):
        precondition(!reason.isEmpty, "no reason")
    }
}

private func fuzzReply(_ message: [UInt8]) {
    do {
        let reply = try IncomingReply.decode(ArraySlice(message), limits: limits)
        let text =
            reply.error.map { OutgoingMessage.error($0) }
            ?? OutgoingMessage.reply(VarlinkReply(reply.parameters), continues: reply.continues)
        let again = try IncomingReply.decode(text.dropLast(), limits: VarlinkLimits(message: 1 << 20))
        precondition(again == reply, "the reply reads back otherwise")
    } catch {
        precondition(error.code == .protocolViolation, "refused otherwise")
    }
}

// MARK: Codec

private let methods: [(method: any APIMethod.Type, interface: InterfaceDescription)] =
    APIInterfaces.all.flatMap { interface in
        let description = InterfaceDescription(constant: interface.idl)
        return interface.methods.map { ($0, description) }
    }

/// Decodes parameters as those of one of the methods.
private func fuzzCodec(_ parameters: JSONObject, _ number: Int) {
    func check<Method: APIMethod>(_ method: Method.Type, _ interface: InterfaceDescription) {
        let fault = interface.validate(parameters, of: String(Method.name.dropFirst(interface.name.utf8.count + 1)))
        do throws(WireError) {
            let value = try Method.Parameters(wire: parameters)
            let again = try Method.Parameters(wire: value.wire)
            precondition(again == value, "the parameters read back otherwise")
        } catch {
            // A range is checked by the codec alone; an unknown member by the description alone.
            precondition(fault != nil || parameters[error.member]?.integerValue != nil, "refused without a fault")
        }
    }
    let (method, interface) = methods[number % methods.count]
    check(method, interface)
}

// MARK: Descriptions

private func fuzzDescription(_ text: String) {
    let description: InterfaceDescription
    do {
        description = try InterfaceDescription(text)
    } catch {
        precondition(error.line >= 1 && error.column >= 1 && !error.message.isEmpty, "no such place")
        return
    }
    do {
        let again = try InterfaceDescription(description.formatted)
        precondition(again.name == description.name && again.members == description.members, "it means something else")
        precondition(again.formatted == description.formatted, "it is formatted otherwise")
    } catch {
        preconditionFailure("does not read back: \(error)")
    }
}

/// Runs libFuzzer's driver; see `LLVMFuzzerRunDriver` in "libFuzzer as a library".
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt
) -> CInt
