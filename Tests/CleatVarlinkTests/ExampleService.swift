import CleatIO
import CleatJSON
import CleatTestSupport
import Synchronization
import SystemPackage

@testable import CleatVarlink

/// Answers calls in every way that a service can, and counts what became of them.
final class ExampleService: VarlinkService {
    struct Counts: Sendable, Equatable {
        var answered = 0
        var cancelled = 0
        var refusedSends: [VarlinkSendError] = []
        var sent = 0
        var released = false
    }

    struct Oops: Error {}

    let loop: EventLoop
    let interface = InterfaceDescription(constant: exampleText)
    private let state = Mutex(Counts())

    init(loop: EventLoop) { self.loop = loop }

    var counts: Counts { state.withLock { $0 } }

    /// Lets calls of `Hold` end.
    func release() { state.withLock { $0.released = true } }

    func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
        state.withLock { $0.answered += 1 }
        do {
            return VarlinkReply(try await reply(call))
        } catch {
            state.withLock { counts in
                if error is CancellationError { counts.cancelled += 1 }
                if let refused = error as? VarlinkSendError { counts.refusedSends.append(refused) }
            }
            throw error
        }
    }

    private func reply(_ call: VarlinkCall) async throws -> JSONObject {
        let parameters = call.parameters
        switch call.method {
        case "Echo":
            return ["text": parameters["text"] ?? ""]
        case "Typed":
            return [:]
        case "Fail":
            switch parameters["how"]?.stringValue {
            case "declared": throw VarlinkError("dev.test.Example.Broken", ["reason": "on purpose"])
            case "undeclared": throw VarlinkError("dev.test.Example.Unheard", ["reason": "on purpose"])
            case "other": throw Oops()
            case "send": try await call.send([:])
            case "disconnect": call.disconnect()
            case "long": return ["filler": .string(String(repeating: "x", count: 2 << 20))]
            default: return ["wrong": true]
            }
            return [:]
        case "Count":
            let last = parameters["to"]?.integerValue ?? 0
            var number: Int64 = 1
            while number < last {
                if call.more {
                    try await call.send(["number": .integer(number), "filler": parameters["filler"] ?? ""])
                }
                state.withLock { $0.sent += 1 }
                number += 1
            }
            return ["number": .integer(last), "filler": parameters["filler"] ?? ""]
        case "Hold":
            if call.more { try await call.send([:]) }
            guard try await loop.eventually({ self.counts.released }) else { throw Oops() }
            return [:]
        case "Insist":
            while !counts.released { await loop.yield() }
            return [:]
        default:
            throw VarlinkError.methodNotImplemented("\(call.interface).\(call.method)")
        }
    }
}

let exampleText = """
    # Does what tests need.
    interface dev.test.Example

    type Item (name: string, size: ?int)
    type Colour (red, green)

    method Echo(text: string) -> (text: string)
    method Typed(
      flag: ?bool, whole: ?int, real: ?float, text: ?string, any: ?object, colour: ?Colour, choice: ?(one, two),
      item: ?Item, items: ?[]Item, map: ?[string]int, nested: ?[string][]?Item, inner: ?(deep: []object)
    ) -> ()
    # Fails in one of many ways.
    method Fail(how: string) -> (filler: ?string)
    # With `more`, one reply a number.
    method Count(to: int, filler: ?string) -> (number: int, filler: ?string)
    # Ends when it is released.
    method Hold() -> ()
    # Ends when it is released, cancelled or not.
    method Insist() -> ()
    method Missing() -> ()

    error Broken (reason: string)
    error Internal (message: string)
    error Full (limit: int)
    error Denied ()

    """

/// The server and the paths that a test uses.
struct Fixture: Sendable {
    let loop: EventLoop
    let server: VarlinkServer
    let service: ExampleService
    let path: String
    let ends: Ends

    /// Why connections ended, in that order.
    final class Ends: Sendable {
        private let list = Mutex<[VarlinkDisconnection]>([])
        var all: [VarlinkDisconnection] { list.withLock { $0 } }
        func append(_ reason: VarlinkDisconnection) { list.withLock { $0.append(reason) } }
    }

    func connect() async throws -> ByteStream { try await ByteStream.connect(to: try UnixAddress(path), loop: loop) }
    func client() async throws -> VarlinkConnection { try await VarlinkConnection.connect(path: path, loop: loop) }

    func eventually(_ condition: @Sendable () async throws -> Bool) async throws -> Bool {
        try await loop.eventually(condition)
    }
}

/// Runs a test's body with a server on a real socket, all on one loop.
func withServer<T: Sendable>(
    limits: VarlinkLimits = .standard, checksReplies: Bool = true,
    standing: @escaping @Sendable (ClientIdentity) -> VarlinkServer.Standing = { _ in .privileged },
    isRemote: @escaping @Sendable (PeerCredentials) -> Bool = { _ in false },
    _ body: @escaping @Sendable (Fixture) async throws -> T
) async throws -> T {
    try await withLoop { loop in
        let directory = try TemporaryDirectory()
        let path = directory.appending("socket")
        let listener = try UnixListener(loop: loop, path: path)
        let service = ExampleService(loop: loop)
        let ends = Fixture.Ends()
        let configuration = VarlinkServer.Configuration(
            vendor: "Test", product: "Example", version: "1.2", url: "https://example.net", limits: limits,
            tooManyConnections: { VarlinkError("dev.test.Example.Full", ["limit": .integer(Int64($0))]) },
            standing: standing, isRemote: isRemote,
            checksReplies: checksReplies,
            mapError: { VarlinkError("dev.test.Example.Internal", ["message": .string("\(type(of: $0))")]) },
            ended: { _, reason in ends.append(reason) })
        let server = VarlinkServer(loop: loop, services: [service], configuration: configuration)
        let serving = loop.task { try await server.serve(listener) }
        let fixture = Fixture(loop: loop, server: server, service: service, path: path, ends: ends)
        let outcome: Result<T, any Error>
        do { outcome = .success(try await body(fixture)) } catch { outcome = .failure(error) }
        serving.cancel()
        _ = await serving.result
        withExtendedLifetime(directory) {}
        return try outcome.get()
    }
}

extension ByteStream {
    /// Writes text whose `␀` stand for NULs.
    func write(_ text: String) async throws {
        try await write(text.utf8.isEmpty ? [] : Array(text.replacing("␀", with: "\0").utf8))
    }

    /// Reads as many messages as asked for; fewer where the other side ends before.
    func messages(_ count: Int) async throws -> [String] {
        var framer = MessageFramer(limit: 1 << 22)
        var messages: [String] = []
        while messages.count < count {
            if let message = try framer.next() {
                messages.append(String(decoding: message, as: UTF8.self))
                continue
            }
            let bytes: [UInt8]
            do { bytes = try await read() } catch Errno.connectionReset { break }
            if bytes.isEmpty { break }
            framer.append(bytes)
        }
        return messages
    }

    /// Reads until the other side has closed the connection; a reset counts as the end.
    func rest() async throws -> [String] { try await messages(.max) }
}
