import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// A real server on a real socket, with answers that a test chose; every answer is checked against its description.
struct CannedBoard: Sendable {
    typealias Answer = @Sendable (VarlinkCall) async throws -> JSONObject

    private struct Service: VarlinkService {
        let interface: InterfaceDescription
        let answers: [String: Answer]

        func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
            guard let answer = answers["\(call.interface).\(call.method)"] else {
                throw VarlinkError.methodNotImplemented(call.method)
            }
            return VarlinkReply(try await answer(call))
        }
    }

    private static let descriptions = Result {
        try APIInterfaces.all.map { interface throws in try InterfaceDescription(interface.idl) }
    }

    let directory: TemporaryDirectory
    let loop: EventLoop
    var socket: String { directory.appending("socket") }

    /// Serves while the body runs.
    static func serving(
        _ answers: [String: Answer], limits: VarlinkLimits = .standard,
        _ body: @escaping @Sendable (CannedBoard) async throws -> Void
    ) async throws {
        try await withLoop { loop in
            let board = CannedBoard(directory: try TemporaryDirectory(), loop: loop)
            let services = try descriptions.get().map { Service(interface: $0, answers: answers) }
            let server = VarlinkServer(
                loop: loop, services: services,
                configuration: .init(
                    vendor: "Cleat", product: "test", version: "1", url: "", limits: limits,
                    tooManyConnections: { APIError.tooManyConnections(limit: $0).varlinkError },
                    checksReplies: true,
                    mapError: {
                        ($0 as? APIError)?.varlinkError ?? VarlinkError("test.Failed", ["m": .string("\($0)")])
                    }))
            let listener = try UnixListener(loop: loop, path: board.socket, mode: 0o600)
            let serving = loop.task { try await server.serve(listener) }
            do {
                try await body(board)
            } catch {
                serving.cancel()
                listener.close()
                throw error
            }
            serving.cancel()
            listener.close()
        }
    }

    /// Runs `cleat` to its end.
    func cleat(_ arguments: String..., environment: [String: String] = [:]) async throws -> Finished {
        try await cleat(arguments, environment: environment)
    }

    /// Runs `cleat` to its end.
    func cleat(_ arguments: [String], environment: [String: String] = [:]) async throws -> Finished {
        try await script(#"exec "$CLEAT" "$@""#, arguments, environment: environment)
    }

    /// Runs a shell script that finds the program in `$CLEAT`.
    func script(
        _ text: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> Finished {
        var variables = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "CLEAT": Self.program, "CLEAT_SOCKET": socket, "LC_ALL": "C",
            "ERRORS": directory.appending("errors"),
        ]
        variables.merge(environment) { _, new in new }
        let result = try await loop.run(
            ChildCommand(
                program: .path("/bin/sh"), arguments: ["-c", "exec 2>\"$ERRORS\"\n" + text, "sh"] + arguments,
                environment: variables, outputLimit: 4 << 20, timeout: .seconds(60).onThisMachine))
        guard case .exited(let status) = result.status else {
            throw Ended(description: "\(result.status), timed out: \(result.timedOut)")
        }
        return Finished(status: Int32(status), output: result.outputText, errorText: try directory.read("errors"))
    }

    /// The result of a program.
    struct Finished: Sendable {
        let status: Int32
        let output: String
        let errorText: String

        /// The code and the layer of the error that it has printed as JSON; nil if it has printed anything else.
        var error: [String]? {
            guard let error = try? JSONReader.read(errorText), let code = error["error"]?.stringValue,
                let layer = error["layer"]?.stringValue
            else { return nil }
            return [code, layer]
        }
    }

    private struct Ended: Error, CustomStringConvertible { let description: String }

    /// The path of the program, which is built into the directory of the tests.
    static let program = TestPlaces.program("cleat").string
}

extension VarlinkCall {
    /// Sends a reply that is not the last one.
    func send(_ reply: some WireValue) async throws { try await send(VarlinkReply(reply)) }
}
