import CleatAPI
import CleatHooks
import CleatIO
import CleatTestSupport
import Testing

/// True if the kernel of this machine can confine the writes of children.
private let isSupported = Landlock.current.isSupported

@Suite("The paths that a hook may write", .tags(.board), .timeLimit(.minutes(2 * TestMachine.slowness)))
struct HookSandboxTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["in", "out"] { try Files.makeDirectory(directory.appending(name)) }
    }

    /// A hook that tries to write inside and outside.
    private func hook(_ paths: [String]?, isRequired: Bool = true) -> Hook {
        let script = "cd \(directory.text); for p in in out; do (echo x >$p/new) 2>/dev/null && echo $p; done; exit 0"
        return .make(
            run: ["/bin/sh", "-c", script], sandbox: paths.map { HookSandbox(writePaths: $0, isRequired: isRequired) })
    }

    private func run(_ hook: Hook, landlock: Landlock = .current) async throws -> (run: HookRun, info: HookInfo) {
        try await withLoop { loop in
            let notices = Notices()
            let runner = HookRunner(
                loop: loop, hooks: HookSet(hooks: [hook]),
                context: HookContext(instance: "i-1", bootID: "5e3c0ffe", socket: "/run/cleat/socket"),
                policy: TrustPolicy(user: Files.user), landlock: landlock, notify: { notices.add($0) })
            await runner.handle(.make())
            try #require(try await loop.eventually { !notices.runs.isEmpty })
            let info = try #require(await runner.hooks.first)
            await runner.shutdown()
            return (try #require(notices.runs.first), info)
        }
    }

    @Test("are all if its file does not list any")
    func free() async throws {
        let (run, info) = try await run(hook(nil))
        #expect(run.output == "in\nout\n")
        #expect(info.sandbox == nil)
    }

    @Test("are the listed ones and no others", .enabled(if: isSupported, "this kernel has no Landlock"))
    func confined() async throws {
        let inside = directory.appending("in")
        let (run, info) = try await run(hook([inside]))
        #expect(run.status == .exited && run.output == "in\n", "\(run)")
        #expect(try names(in: directory.appending("out")).isEmpty)
        #expect(info.sandbox == HookSandboxInfo(writePaths: [inside], required: true, enforced: true))
        // A script runs by its path, and may name a link that is safe.
        try Files.makeLink(directory.appending("link"), to: "in")
        let script = try directory.write("#!/bin/sh\necho x >\(inside)/by-script\n", to: "script", mode: 0o755)
        let hook = Hook.make(run: [script], sandbox: HookSandbox(writePaths: [directory.appending("link")]))
        #expect(try await self.run(hook).run.status == .exited)
        #expect(try directory.read("in/by-script") == "x\n")
    }

    @Test("are none if the list is empty", .enabled(if: isSupported, "this kernel has no Landlock"))
    func nowhere() async throws {
        let run = try await run(hook([])).run
        #expect(run.status == .exited && run.output.isEmpty, "\(run)")
    }

    @Test("must exist when it runs")
    func missing() async throws {
        let missing = directory.appending("missing")
        let run = try await run(hook([directory.appending("in"), missing])).run
        #expect(run.status == .refused)
        #expect(run.code == 2)
        #expect(run.output.hasPrefix(missing), "\(run)")
        #expect(try names(in: directory.appending("in")).isEmpty)
    }

    @Test("may not lead through another user's link", .enabled(if: Files.isRoot, "needs root to give files away"))
    func foreignLink() async throws {
        let link = directory.appending("link")
        try Files.makeLink(link, to: "in")
        try Files.setOwner(link, user: 4242)
        let run = try await run(hook([link])).run
        #expect(run.status == .refused && run.code == 1 && run.output.hasPrefix(link), "\(run)")
        #expect(run.output.contains("4242"), "\(run)")
    }

    @Test("prevent a run if the kernel has no Landlock, unless the file permits best-effort")
    func unsupported() async throws {
        let inside = directory.appending("in")
        let lacking = Landlock(abi: 0)
        let refused = try await run(hook([inside]), landlock: lacking)
        #expect(refused.run.status == .refused)
        #expect(refused.run.output.contains("Landlock") && refused.run.output.contains("best-effort"), "\(refused.run)")
        #expect(try names(in: inside).isEmpty)
        #expect(refused.info.sandbox == HookSandboxInfo(writePaths: [inside], required: true, enforced: false))
        let hoping = try await run(hook([inside], isRequired: false), landlock: lacking)
        #expect(hoping.run.output == "in\nout\n")
        #expect(hoping.info.sandbox == HookSandboxInfo(writePaths: [inside], required: false, enforced: false))
    }
}
