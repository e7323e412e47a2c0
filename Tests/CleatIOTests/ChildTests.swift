import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatIO

private let path = ["PATH": "/usr/bin:/bin"]

private func shell(_ script: String, _ change: (inout ChildCommand) -> Void = { _ in }) -> ChildCommand {
    var command = ChildCommand(program: .path("/bin/sh"), arguments: ["-c", script], environment: path)
    change(&command)
    return command
}

/// Returns true if a process exists and is not a zombie.
private func isAlive(_ pid: String) -> Bool {
    guard let status = try? contents(of: FilePath("/proc/\(pid)/stat")) else { return false }
    return !status.contains(") Z ")
}

/// Children of this process that have ended and were not reaped.
private func zombies() throws -> Int {
    let tasks = try contents(of: "/proc/thread-self/children").split(separator: " ")
    return tasks.filter { (try? contents(of: FilePath("/proc/\($0)/stat")))?.contains(") Z ") == true }.count
}

@Suite(.tags(.board)) struct ChildTests {
    /// The actions of each event in each phase.
    @Test func lifeOfAChild() {
        var life = ChildLife()
        #expect(life.graceOver() == .none)
        #expect(life.patienceOver() == .none)
        #expect(life.timeOver() == .terminate)
        #expect(life.timeOver() == .none)
        #expect(life.graceOver() == .kill)
        #expect(life.graceOver() == .none)
        #expect(life.cancel() == .none)
        #expect(life.timedOut && !life.wasCancelled)
        #expect(life.patienceOver() == .giveUp)
        #expect(life.patienceOver() == .none)
        #expect(!life.hasEnded)
        life.end()
        #expect(life.hasEnded)

        var cancelled = ChildLife()
        #expect(cancelled.cancel() == .kill)
        #expect(cancelled.timeOver() == .none)
        #expect(cancelled.wasCancelled && !cancelled.timedOut)
        cancelled.end()
        #expect(cancelled.patienceOver() == .none)
        #expect(cancelled.cancel() == .none)
    }

    @Test(arguments: [
        ("exit 0", ChildResult.Status.exited(0), ""),
        ("exit 3", .exited(3), ""),
        ("echo out; echo err >&2; exit 1", .exited(1), "out\nerr\n"),
        ("kill -9 $$", .signalled(9), ""),
        ("kill -15 $$", .signalled(15), ""),
        ("kill -13 $$", .signalled(13), ""),
        ("printf '%s|' \"$0\" \"$PATH\"; test -z \"$HOME\" && echo clean", .exited(0), "/bin/sh|/usr/bin:/bin|clean\n"),
        ("read line && echo got $line || echo nothing", .exited(0), "nothing\n"),
        ("ls /proc/self/fd | wc -l", .exited(0), "4\n"),
    ])
    func ends(script: String, status: ChildResult.Status, output: String) async throws {
        let result = try await withLoop { try await $0.run(shell(script)) }
        #expect(result.status == status)
        #expect(result.outputText == output)
        #expect(result.outputBytesTotal == output.utf8.count)
        #expect(!result.timedOut)
    }

    /// Without a shell: BusyBox's ignores a signal of its own accord.
    @Test func startsWithNoSignalBlockedOrIgnored() async throws {
        let result = try await withLoop {
            try await $0.run(ChildCommand("/bin/grep", ["-E", "SigBlk|SigIgn", "/proc/self/status"]))
        }
        #expect(result.outputText == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n")
    }

    @Test(arguments: [0, 1, 4096, 65536, 65537, 1 << 20])
    func feedsInput(size: Int) async throws {
        let input = [UInt8](repeating: 120, count: size)
        let result = try await withLoop { try await $0.run(shell("wc -c") { $0.input = input }) }
        #expect(result.outputText == "\(size)\n")
    }

    @Test func unreadInputIsNoError() async throws {
        let result = try await withLoop {
            try await $0.run(shell("exit 4") { $0.input = [UInt8](repeating: 1, count: 1 << 20) })
        }
        #expect(result.status == .exited(4))
    }

    @Test func hugeOutputIsCountedAndCut() async throws {
        let size = TestMachine.slowness > 1 ? 20_000_000 : 100_000_000
        let result = try await withLoop { loop in
            try await loop.run(
                shell("head -c \(size) /dev/zero | tr '\\0' x") {
                    $0.outputLimit = 1000
                    $0.timeout = .seconds(120).onThisMachine
                })
        }
        #expect(result.isSuccess)
        #expect(result.output == [UInt8](repeating: 120, count: 1000))
        #expect(result.outputBytesTotal == size)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var program: String
        var code: SpawnError.Code
        var testDescription: String { program.replacing("\0", with: "\\0") }
    }

    @Test(arguments: [
        Refusal(program: "missing", code: .notFound),
        Refusal(program: "plain", code: .denied),
        Refusal(program: "garbage", code: .notExecutable),
        Refusal(program: "nointerpreter", code: .notFound),
        Refusal(program: "", code: .denied),
        Refusal(program: "plain/below", code: .notFound),
        Refusal(program: "nul\0name", code: .invalidCommand),
    ])
    func refusesToStart(_ refusal: Refusal) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("echo hello\n", to: "plain", mode: 0o644)
        try directory.write("\u{1}\u{2}\u{3} no program\n", to: "garbage", mode: 0o755)
        try directory.write("#!/does/not/exist\n", to: "nointerpreter", mode: 0o755)
        let program = directory.text + "/" + refusal.program
        let error = await #expect(throws: SpawnError.self) {
            try await withLoop { try await $0.run(ChildCommand(program: .path(FilePath(program)), environment: path)) }
        }
        // A FilePath ends at a NUL, so that name reaches the kernel shortened.
        #expect(error?.code == (refusal.code == .invalidCommand ? .notFound : refusal.code))
    }

    @Test func refusesBadCommands() async throws {
        for change: @Sendable (inout ChildCommand) -> Void in [
            { $0.arguments = ["a\0b"] }, { $0.environment = ["A=B": "c"] }, { $0.environment = ["": "c"] },
        ] {
            let error = await #expect(throws: SpawnError.self) {
                try await withLoop { try await $0.run(shell("true", change)) }
            }
            #expect(error?.code == .invalidCommand)
        }
        let error = await #expect(throws: SpawnError.self) {
            try await withLoop { try await $0.run(shell("true") { $0.workingDirectory = "/does/not/exist" }) }
        }
        #expect(error?.code == .badDirectory)
    }

    @Test func timeLimitKillsTheWholeGroup() async throws {
        let directory = try TemporaryDirectory()
        let result = try await withLoop { loop in
            try await loop.run(
                shell("for i in 1 2 3; do sleep 1000 & echo $! >> \(directory.text)/pids; done; wait") {
                    $0.timeout = .milliseconds(300)
                })
        }
        #expect(result.timedOut)
        #expect(!result.isSuccess)
        #expect(result.status == .signalled(15))
        let pids = try directory.read("pids").split(separator: "\n").map(String.init)
        #expect(pids.count == 3)
        #expect(try await eventually { !pids.contains(where: isAlive) })
    }

    @Test func ignoringTheTimeLimitIsKilled() async throws {
        let result = try await withLoop { loop in
            try await loop.run(
                shell("trap '' TERM; while :; do sleep 1000; done") {
                    $0.timeout = .milliseconds(100)
                    $0.killGrace = .milliseconds(100)
                })
        }
        #expect(result.timedOut)
        #expect(result.status == .signalled(9))
    }

    @Test func childrenLeftBehindDieAtTheNormalEnd() async throws {
        let result = try await withLoop { try await $0.run(shell("sleep 1000 & echo $!")) }
        #expect(result.status == .exited(0))
        let pid = String(result.outputText.prefix { $0 != "\n" })
        #expect(try await eventually { !isAlive(pid) })
    }

    /// A daemon leaves the group some time after its parent has ended.
    @Test(.tags(.fault)) func aDaemonHasTimeToLeaveTheGroup() async throws {
        let text = "sh -c 'sleep 0.3; exec setsid sleep 1000' & echo $!; sleep 1000 & echo $!"
        try await withLoop { loop in
            let result = try await loop.run(shell(text) { $0.detachGrace = .seconds(2) })
            #expect(result.status == .exited(0) && result.duration < .seconds(2))
            let pids = result.outputText.split(separator: "\n").map(String.init)
            try #require(pids.count == 2)
            #expect(isAlive(pids[1]))
            #expect(try await loop.eventually { !isAlive(pids[1]) })
            #expect(isAlive(pids[0]), "it has left the group in time")
            #expect(try await loop.eventually { try zombies() == 0 })
            try Signal.kill.send(to: #require(Int32(pids[0])))
        }
    }

    @Test func aProcessOutsideOfTheGroupIsNotWaitedFor() async throws {
        let result = try await withLoop { try await $0.run(shell("setsid sleep 1000 & sleep 0.2; echo $!")) }
        #expect(result.status == .exited(0))
        #expect(result.duration < .seconds(20))
        let pid = try #require(Int32(result.outputText.prefix { $0 != "\n" }))
        Signal.kill.send(to: pid)
    }

    @Test func cancellationKillsAndLeavesNoZombie() async throws {
        let directory = try TemporaryDirectory()
        try await withLoop { loop in
            let work = loop.task {
                try await loop.run(shell("echo $$ > \(directory.text)/pid; sleep 1000") { $0.timeout = nil })
            }
            #expect(try await loop.eventually { (try? directory.read("pid"))?.contains("\n") == true })
            let pid = String(try directory.read("pid").dropLast())
            #expect(isAlive(pid))
            work.cancel()
            let result = await work.result
            #expect(throws: SpawnError(.cancelled, program: "/bin/sh")) { try result.get() }
            #expect(!isAlive(pid))
            #expect(try zombies() == 0)
            #expect(loop.registeredDescriptors == 0)
            #expect(loop.pendingTimers == 0)
        }
    }

    @Test func runsByDescriptor() async throws {
        let result = try await withLoop { loop in
            let program = try FileDescriptor.open(FilePath("/bin/echo"), .readOnly, options: .closeOnExec)
            defer { try? program.close() }
            return try await loop.run(
                ChildCommand(program: .descriptor(program, name: "echo"), arguments: ["hello"], environment: path))
        }
        #expect(result.outputText == "hello\n")
    }

    @Test func appliesLimitsAndPrivileges() async throws {
        let result = try await withLoop { loop in
            try await loop.run(
                shell("ulimit -n; ulimit -c; grep NoNewPrivs /proc/self/status; pwd; umask") {
                    $0.limits = [ResourceLimit(.openFiles, 17), ResourceLimit(.coreSize, 0)]
                    $0.noNewPrivileges = true
                    $0.workingDirectory = "/usr"
                })
        }
        #expect(result.outputText == "17\n0\nNoNewPrivs:\t1\n/usr\n0022\n")
    }

    @Test(.enabled(if: ProcessSelf.uid == 0, "only root may change the user")) func changesTheUser() async throws {
        let result = try await withLoop { loop in
            try await loop.run(
                shell("id -u; id -g; id -G") { $0.user = .init(uid: 65534, gid: 65533, groups: [65532]) })
        }
        #expect(result.outputText == "65534\n65533\n65533 65532\n")
        // Such a child is started in another way, and its failures are reported in another way.
        for (program, directory, code) in [
            ("/does/not/exist", nil, SpawnError.Code.notFound), ("/etc/passwd", nil, .denied),
            ("/bin/true", "/does/not/exist", .badDirectory), ("/bin/true", "/root", .badDirectory),
        ] as [(FilePath, FilePath?, SpawnError.Code)] {
            let error = await #expect(throws: SpawnError.self) {
                try await withLoop { loop in
                    try await loop.run(
                        ChildCommand(
                            program: .path(program), workingDirectory: directory, user: .init(uid: 65534, gid: 65533)))
                }
            }
            #expect(error?.code == code)
        }
    }

    @Test func aThousandChildrenLeaveNothing() async throws {
        try await withLoop { loop in
            _ = try await loop.run(ChildCommand("/bin/true"))
            for _ in 0..<TestMachine.rounds(50, briefly: 10) {
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<20 { group.addTask { try await loop.run(ChildCommand("/bin/true")).isSuccess } }
                    for try await success in group { #expect(success) }
                }
            }
            #expect(loop.registeredDescriptors == 0)
            #expect(loop.pendingTimers == 0)
            #expect(try zombies() == 0)
        }
    }
}
