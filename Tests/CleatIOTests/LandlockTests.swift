import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatIO

/// Tests of the versions of the interface, on any kernel.
@Suite struct LandlockVersionTests {
    @Test(
        arguments: [
            (-95, 0x0, 0x0, 0x0), (0, 0x0, 0x0, 0x0), (1, 0x1FF2, 0x17B2, 0x2), (2, 0x3FF2, 0x37B2, 0x2),
            (3, 0x7FF2, 0x77B2, 0x4002), (4, 0x7FF2, 0x77B2, 0x4002), (5, 0xFFF2, 0xF7B2, 0xC002),
            (6, 0xFFF2, 0xF7B2, 0xC002), (7, 0xFFF2, 0xF7B2, 0xC002), (8, 0xFFF2, 0xF7B2, 0xC002),
        ] as [(Int, UInt64, UInt64, UInt64)])
    func rights(abi: Int, handled: UInt64, directory: UInt64, file: UInt64) {
        let landlock = Landlock(abi: abi)
        #expect(landlock.isSupported == (abi > 0))
        #expect(landlock.holdsTruncation == (abi >= 3))
        #expect(landlock.handled.rawValue == handled)
        #expect(landlock.grantedBelowDirectory.rawValue == directory)
        #expect(landlock.grantedOnFile.rawValue == file)
        // Neither reading nor executing is ever refused.
        #expect(landlock.handled.rawValue & 0b1101 == 0)
    }

    @Test func withoutLandlockAChildIsRefusedOrFree() async throws {
        let directory = try TemporaryDirectory()
        let lacking = Landlock(abi: 0)
        try await withLoop { loop async throws in
            var command = shell("echo ran >\(directory.text)/outside", [])
            command.writeAccess = WriteAccess([], landlock: lacking)
            let error = await #expect(throws: SpawnError.self) { try await loop.run(command) }
            #expect(error?.code == .noSandbox)
            #expect(error.map { "\($0)" }?.contains("best-effort") == true)
            #expect(try names(in: directory.text).isEmpty)
            command.writeAccess = WriteAccess([], isRequired: false, landlock: lacking)
            #expect(try await loop.run(command).isSuccess)
            #expect(try directory.read("outside") == "ran\n")
        }
    }
}

private func shell(_ script: String, _ places: [String], landlock: Landlock = .current) -> ChildCommand {
    ChildCommand(
        program: .path("/bin/sh"), arguments: ["-c", script], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
        writeAccess: WriteAccess(places.map { .path(FilePath($0)) }, landlock: landlock))
}

/// Tests of the running kernel with a child that may write only some places.
@Suite(.tags(.board), .enabled(if: Landlock.current.isSupported, "this kernel has no Landlock"))
struct LandlockTests {
    private let directory: TemporaryDirectory
    private var inside: String { directory.appending("in") }
    private var outside: String { directory.appending("out") }

    init() async throws {
        directory = try TemporaryDirectory()
        try await prepare("mkdir in out && echo kept >in/file && echo kept >out/file")
    }

    /// Runs a script in the directory, bound to nothing.
    private func prepare(_ script: String) async throws {
        let command = ChildCommand("/bin/sh", ["-c", "PATH=/usr/bin:/bin; cd \(directory.text) && \(script)"])
        let result = try await withLoop { try await $0.run(command) }
        try #require(result.isSuccess, "\(result.outputText)")
    }

    /// Runs one command line a step, and returns those that succeeded.
    private func run(
        _ steps: [String], places: [String], landlock: Landlock = .current, user: ChildCommand.User? = nil
    ) async throws -> [String: Bool] {
        var script = "cd \(directory.text)\n"
        for (number, step) in steps.enumerated() {
            script += "( \(step) ) >/dev/null 2>&1 && echo \(number) || :\n"
        }
        var command = shell(script, places, landlock: landlock)
        command.user = user
        let prepared = command
        let result = try await withLoop { try await $0.run(prepared) }
        #expect(result.isSuccess, "\(result)")
        let done = Set(result.outputText.split(separator: "\n").compactMap { Int($0) })
        return Dictionary(uniqueKeysWithValues: steps.enumerated().map { ($1, done.contains($0)) })
    }

    private static let allowed = [
        "echo x >in/new", "echo x >>in/file", "mkdir in/sub", "echo x >in/sub/below", "mkdir -p in/sub/more/and/more",
        "mv in/new in/sub/new", "mv in/sub/new in/back", "ln in/back in/hard", "ln -s /etc/passwd in/soft",
        "mkfifo in/fifo", "rm in/fifo in/soft in/hard", "rm -r in/sub", "cat out/file", "ls out", "echo x >/dev/null",
        "echo x >/proc/self/fd/1", "cat /etc/passwd", "cp out/file in/copied",
    ]
    private static let refused = [
        "echo x >out/new", "echo x >>out/file", "mkdir out/sub", "rm out/file", "truncate -s 0 out/file",
        "mv out/file in/stolen",
        "mv in/file out/moved", "ln out/file in/hard", "ln in/file out/hard", "ln -s x out/soft", "mkfifo out/fifo",
        "echo x >new", "mknod in/null c 1 3", "mknod in/disk b 7 0",
    ]

    @Test(arguments: 1...max(1, Landlock.current.abi))
    func writesInsideAndNowhereElse(abi: Int) async throws {
        let landlock = Landlock(abi: abi)
        let outcome = try await run(
            Self.allowed + Self.refused + ["grep -q 'NoNewPrivs:.1' /proc/self/status"],
            places: [inside], landlock: landlock)
        for step in Self.allowed { #expect(outcome[step] == true, "\(step)") }
        for step in Self.refused { #expect(outcome[step] == false, "\(step)") }
        #expect(outcome["grep -q 'NoNewPrivs:.1' /proc/self/status"] == true)
        #expect(try directory.read("out/file") == "kept\n")
        #expect(try names(in: outside) == ["file"])
        // Who started it is not bound.
        try directory.write("free", to: "out/parent")
    }

    @Test func theRefusalIsAPermissionThatRootLacksToo() async throws {
        let command = shell("echo x >\(outside)/new", [inside])
        let result = try await withLoop { try await $0.run(command) }
        #expect(!result.isSuccess)
        #expect(result.outputText.contains("ermission denied"), "\(result.outputText)")
    }

    /// By its path, without ever opening it: the way that the first two versions cannot refuse.
    @Test(.enabled(if: TestMachine.has("python3"), "there is no Python"), arguments: 1...max(1, Landlock.current.abi))
    func truncation(abi: Int) async throws {
        let landlock = Landlock(abi: abi)
        let steps = ["in", "out"].map { "python3 -c 'import os; os.truncate(\"\($0)/file\", 0)'" }
        let outcome = try await run(steps, places: [inside], landlock: landlock)
        #expect(steps.map { outcome[$0] } == [true, !landlock.holdsTruncation])
        #expect(try directory.read("out/file") == (landlock.holdsTruncation ? "kept\n" : ""))
    }

    @Test func grandchildrenInheritIt() async throws {
        let steps = [
            "sh -c 'sh -c \"echo x >in/deep\"'", "sh -c 'sh -c \"echo x >out/deep\"'",
            "setsid sh -c 'echo x >out/session'", "env -i /bin/sh -c 'echo x >out/bare'",
        ]
        let outcome = try await run(steps, places: [inside])
        #expect(steps.map { outcome[$0] } == [true, false, false, false])
    }

    @Test func nothingAtAllAndASingleFile() async throws {
        var outcome = try await run(["echo x >in/new", "echo x >>in/file", "echo x >/dev/null"], places: [])
        #expect(outcome == ["echo x >in/new": false, "echo x >>in/file": false, "echo x >/dev/null": true])
        outcome = try await run(
            ["echo x >in/new", "echo x >in/file", "rm in/file", "mv in/file in/other"],
            places: [directory.appending("in/file")])
        #expect(
            outcome == [
                "echo x >in/new": false, "echo x >in/file": true, "rm in/file": false, "mv in/file in/other": false,
            ])
        #expect(try directory.read("in/file") == "x\n")
    }

    @Test func anOpenPlaceIsWhatWasOpened() async throws {
        let place = try FileDescriptor.open(FilePath(inside), .readOnly, options: [.directory, .closeOnExec])
        // The name stands for something else by now.
        try await prepare("mv in moved && mkdir in")
        var command = shell("cd \(directory.text); echo x >moved/new; echo x >in/new; ls /proc/self/fd | wc -l", [])
        command.writeAccess = WriteAccess([.descriptor(place, name: "in")])
        let prepared = command
        let result = try await withLoop { try await $0.run(prepared) }
        try place.close()
        #expect(try directory.read("moved/new") == "x\n")
        #expect(try names(in: inside).isEmpty)
        // The rules themselves do not reach the child: the three standard descriptors, and that of ls.
        #expect(result.outputText.hasSuffix("4\n"), "\(result.outputText)")
    }

    @Test(.enabled(if: ProcessSelf.uid == 0, "only root may change the user")) func boundWithAnotherUser() async throws
    {
        try await prepare("chmod 0777 . in out")
        let steps = ["echo x >in/new", "echo x >out/new", "test $(id -u) = 65534"]
        let outcome = try await run(steps, places: [inside], user: .init(uid: 65534, gid: 65534))
        #expect(steps.map { outcome[$0] } == [true, false, true])
    }

    @Test func aPlaceThatIsNotThereIsNamed() async throws {
        let missing = directory.appending("missing")
        let command = shell("echo x >\(inside)/new", [inside, missing])
        let error = await #expect(throws: SpawnError.self) { try await withLoop { try await $0.run(command) } }
        #expect(error?.code == .badWritePath)
        #expect(error?.place == missing)
        #expect(error?.underlying == .noSuchFileOrDirectory)
        #expect(error.map { "\($0)" }?.contains(missing) == true)
        #expect(try names(in: inside) == ["file"])
    }
}
