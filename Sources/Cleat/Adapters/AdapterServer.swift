import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatVarlink
import SystemPackage

extension SettingsAdapter {
    /// Answers the calls of the service on standard input and output, until the service ends the program.
    ///
    /// Meanwhile output of the program goes to standard error, of which the service logs the last line after a failure.
    ///
    /// - Throws: ``CleatError`` with the code `failed` if the program was not started by the service, or is sent
    ///   anything else than calls (`dev.cleat.Adapter`).
    public func serve() async throws(CleatError) {
        let thread = try SharedLoop.take()
        let stream: ByteStream
        do {
            // Programs that this one starts must neither read calls nor keep the connection open.
            let input = try Descriptor.duplicate(of: .standardInput)
            let output = try Descriptor.duplicate(of: .standardOutput)
            let nothing = try FileDescriptor.open(FilePath("/dev/null"), .readOnly)
            _ = try nothing.closeAfter { try nothing.duplicate(as: .standardInput) }
            // Output of the program must not reach the service as an answer.
            _ = try FileDescriptor.standardError.duplicate(as: .standardOutput)
            stream = try ByteStream(loop: thread.loop, reading: input, writing: output)
        } catch {
            throw CleatError(
                .failed, "standard input and output cannot be used for calls of the service: \(error)",
                remedy: "name the program in a file of adapters.d, and let the service start it")
        }
        defer { stream.close() }
        do {
            try await AdapterCalls(adapter: self, thread: thread).answer(on: stream)
        } catch {
            throw CleatError(.failed, "the connection with the service failed: \(error)")
        }
    }
}

/// Answers calls of `dev.cleat.Adapter` with the functions of an adapter.
struct AdapterCalls: Sendable {
    let adapter: any SettingsAdapter
    /// The thread of the stream; the functions of the adapter, which may block, do not run on it.
    let thread: LoopThread

    /// Answers the calls that arrive on a stream until its end.
    ///
    /// - Throws: The failure of the stream, or the reason why it does not carry calls.
    func answer(on stream: ByteStream) async throws {
        let limits = VarlinkLimits.standard
        var framer = MessageFramer(limit: limits.message)
        while true {
            guard let message = try framer.next() else {
                let bytes = try await thread.loop.task { try await stream.read() }.value
                if bytes.isEmpty { return }
                framer.append(bytes)
                continue
            }
            switch IncomingCall.decode(message, limits: limits) {
            case .malformed(let reason): throw AdapterRefusal("what arrived is not a call: \(reason)")
            case .refused(let error, let oneway):
                if !oneway { try await write(OutgoingMessage.error(error), to: stream) }
            case .call(let call):
                let answer = await answer(to: call)
                if !call.oneway { try await write(answer, to: stream) }
            }
        }
    }

    private func write(_ message: [UInt8], to stream: ByteStream) async throws {
        try await thread.loop.task { try await stream.write(message) }.value
    }

    /// Returns the answer to one call, as a message.
    private func answer(to call: IncomingCall) async -> [UInt8] {
        do {
            return OutgoingMessage.reply(try await reply(to: call))
        } catch let error as VarlinkError {
            return OutgoingMessage.error(error)
        } catch let error as WireError {
            return OutgoingMessage.error(.invalidParameter(error.member))
        } catch {
            return OutgoingMessage.error(
                VarlinkError("dev.cleat.Adapter.Failed", ["reason": .string("\(error)")]))
        }
    }

    private func reply(to call: IncomingCall) async throws -> VarlinkReply {
        switch call.method {
        case AdapterInterface.Check.name:
            let parameters = try AdapterInterface.Check.Parameters(wire: call.parameters)
            do {
                try await adapter.check(Self.view(parameters.settings))
                return VarlinkReply(AdapterInterface.Check.Reply(problems: []))
            } catch let refusal as AdapterRefusal {
                let problem = AdapterProblem(path: refusal.path, reason: refusal.reason)
                return VarlinkReply(AdapterInterface.Check.Reply(problems: [problem]))
            }
        case AdapterInterface.Capture.name:
            return VarlinkReply(AdapterInterface.Capture.Reply(state: Base64.encode(try await adapter.capture())))
        case AdapterInterface.Apply.name:
            let parameters = try AdapterInterface.Apply.Parameters(wire: call.parameters)
            try await adapter.apply(Self.view(parameters.settings))
            return VarlinkReply(EmptyValue())
        case AdapterInterface.Restore.name:
            let parameters = try AdapterInterface.Restore.Parameters(wire: call.parameters)
            guard let state = Base64.decode(parameters.state) else { throw VarlinkError.invalidParameter("state") }
            try await adapter.restore(state)
            return VarlinkReply(EmptyValue())
        case AdapterInterface.Fingerprint.name:
            let parameters = try AdapterInterface.Fingerprint.Parameters(wire: call.parameters)
            let fingerprint = try await adapter.fingerprint()
            var holds: Bool?
            if let settings = parameters.settings { holds = try await adapter.holds(Self.view(settings)) }
            return VarlinkReply(AdapterInterface.Fingerprint.Reply(fingerprint: fingerprint, holds: holds))
        default: throw VarlinkError.methodNotFound(call.method)
        }
    }

    /// Returns settings of a call as a view.
    private static func view(_ settings: JSONValue) throws -> SettingsView {
        guard let object = settings.objectValue else { throw VarlinkError.invalidParameter("settings") }
        return try SettingsView(values: object)
    }
}
