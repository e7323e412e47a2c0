import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

/// A network, mounts and a host name of a test's own; they outlive the services that run in them.
final class PrivateNamespace: Sendable {
    private let board: Board
    private let holder: Task<ChildResult, any Error>
    private let pid: Int32

    /// Makes the namespaces with a fresh `/sys` and runs a shell script in them; `$D` is the board's directory.
    init(board: Board, preparation: String) async throws {
        self.board = board
        let file = board.directory.appending("namespace-\(UInt64.random(in: 0 ... .max))")
        var environment = Board.environment
        environment["D"] = board.directory.text
        environment["SCRIPT"] = """
            mount -t sysfs none /sys
            ip link set lo up
            \(preparation)
            echo $$ >\(file).new
            mv \(file).new \(file)
            exec sleep 600
            """
        let command = ChildCommand(
            program: .path("/bin/sh"), arguments: ["-ec", "exec unshare --net --mount --uts sh -ec \"$SCRIPT\""],
            environment: environment, timeout: .seconds(600).onThisMachine)
        let loop = board.loop
        let holder = loop.task { try await loop.run(command) }
        self.holder = holder
        do {
            try await board.eventually("the namespaces were there") { SystemCalls.exists(file) }
            pid = try #require(Int32(contents(of: FilePath(file)).filter { $0.isNumber }))
        } catch {
            holder.cancel()
            let output = (try? await holder.value)?.outputText
            throw Failure("no namespaces: \(error) \(output ?? "")")
        }
    }

    /// The words that start a program in them.
    var launcher: [String] { ["nsenter", "--target", String(pid), "--net", "--mount", "--uts"] }

    /// The options that start a service in them.
    var options: RunningAgent.Options { RunningAgent.Options(launcher: launcher) }

    /// Runs a shell script in them.
    @discardableResult
    func script(_ text: String) async throws -> Board.Finished {
        let finished = try await board.script(
            "exec \(launcher.joined(separator: " ")) sh -ec \"$SCRIPT\"", environment: ["SCRIPT": text])
        try #require(finished.status == 0, "\(text): \(finished.output) \(finished.errorText)")
        return finished
    }

    /// Ends what holds them.
    func end() async {
        holder.cancel()
        _ = try? await holder.value
    }
}
