import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatIO

@Suite(.tags(.board)) struct ConsoleChildTests {
    /// Runs a shell script with a pipe as its standard output and error, and returns its end and its output.
    private static func run(
        _ script: String, _ change: (inout ConsoleChild.Command) -> Void = { _ in }
    ) throws -> (ChildResult.Status?, String) {
        let (reading, writing) = try Descriptor.pipe()
        let nothing = try FileDescriptor.open(FilePath("/dev/null"), .readOnly, options: .closeOnExec)
        defer { try? nothing.close() }
        var command = ConsoleChild.Command(["sh", "-c", script])
        command.streams = (nothing, writing.descriptor, writing.descriptor)
        change(&command)
        let child = try ConsoleChild(command)
        writing.close()
        var output: [UInt8] = []
        while let more = try reading.read(upTo: 4096), !more.isEmpty { output += more }
        return (try child.end(wait: true), String(decoding: output, as: UTF8.self))
    }

    @Test func aProgramIsFoundInPathAndInheritsTheEnvironment() throws {
        let (end, output) = try Self.run("echo $PATH; echo $CLEAT_TEST; exit 3") {
            $0.variables = ["CLEAT_TEST": "a b"]
        }
        #expect(end == .exited(3))
        #expect(output == "\(Environment.value("PATH") ?? "")\na b\n")
    }

    @Test func theFirstArgumentIsIndependentOfTheProgram() throws {
        let (end, output) = try Self.run("") {
            $0.program = "/bin/sh"
            // A name that BusyBox knows as well: it chooses its program by the first argument.
            $0.arguments = ["ash", "-c", "echo $0"]
        }
        #expect(end == .exited(0))
        #expect(output == "ash\n")
    }

    @Test(arguments: [
        ("", Errno.noSuchFileOrDirectory), ("no-such-program", .noSuchFileOrDirectory),
        ("/no/such/program", .noSuchFileOrDirectory), ("/etc/passwd", .permissionDenied), ("a\0b", .invalidArgument),
    ]) func theReasonOfAFailedStartIsReported(_ program: String, _ reason: Errno) {
        #expect(throws: reason) { try ConsoleChild(.init([program])) }
    }

    @Test func anIgnoredBrokenPipeIsNotInherited() throws {
        // The test process ignores SIGPIPE from the first start on.
        _ = try Self.run("exit 0")
        #expect(Signal.brokenPipe.isIgnored)
        #expect(try Self.run("kill -PIPE $$; echo alive").0 == .signalled(Signal.brokenPipe.rawValue))
    }

    @Test func aSignalWithItsDefaultActionIsNotBlocked() async throws {
        // The threads of workers block all signals.
        let worker = Worker(name: "blocking")
        defer { worker.shutdown() }
        let end = try await worker.run { try Self.run("kill -PIPE $$; echo alive").0 }
        #expect(end == .signalled(Signal.brokenPipe.rawValue))
    }

    @Test func onlyAServiceLeavesTheProcessGroup() throws {
        let script = "read -r pid name state parent group rest < /proc/self/stat; echo $pid $group"
        let inside = try Self.run("exec sh -c '\(script)'").1.split(whereSeparator: \.isWhitespace)
        #expect(inside.count == 2 && inside.first != inside.last)
        let service = try Self.run("exec sh -c '\(script)'") { $0.role = .service }.1
            .split(whereSeparator: \.isWhitespace)
        #expect(service.count == 2 && service.first == service.last)
    }

    @Test func aSignalReachesOnlyARunningProgram() throws {
        let child = try ConsoleChild(.init(["sleep", "60"]))
        #expect(try child.end() == nil)
        #expect(ConsoleChild.isAwaited(child.pid))
        child.send(.terminate)
        #expect(try child.end(wait: true) == .signalled(Signal.terminate.rawValue))
        #expect(!ConsoleChild.isAwaited(child.pid))
        child.send(.terminate)
        #expect(try child.end() == .signalled(Signal.terminate.rawValue))
    }

    @Test func aNotificationOfReadinessIsReceived() throws {
        let directory = try TemporaryDirectory()
        let path = directory.text + "/notify"
        let listener = try NotifyListener(path)
        #expect(try !listener.isReady())
        let service = Notify(socket: path)
        service.status("starts")
        service.ready(status: "ready")
        #expect(try !listener.isReady())
        #expect(try listener.isReady())
    }
}
