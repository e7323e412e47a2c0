import CleatAPI
import CleatHooks
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

@Suite("Sets of hooks")
struct HookSetTests {
    let directory: TemporaryDirectory
    let policy = TrustPolicy(user: Files.user)
    static let good = "{ match: { source: 'link' }, run: ['/bin/true'] }"

    init() throws {
        directory = try TemporaryDirectory()
        try Files.makeDirectory(directory.appending("vendor"))
        try Files.makeDirectory(directory.appending("admin"))
    }

    private func load() -> HookSet {
        HookSet.load(directories: [directory.appending("vendor"), directory.appending("admin")], policy: policy)
    }

    @Test("are empty if there is no directory")
    func missingDirectory() {
        #expect(HookSet.load(directories: [directory.appending("nowhere")], policy: policy) == HookSet())
        #expect(load() == HookSet())
    }

    @Test("hold the files in order of their names, and nothing else")
    func names() throws {
        for name in ["20-b.json5", "10-a.json5", ".hidden.json5", "30-c.json5~", "40-d.json", "README", "30-C.json5"] {
            try directory.write(Self.good, to: "vendor/\(name)")
        }
        let set = load()
        #expect(set.hooks.map(\.name) == ["10-a", "20-b", "30-C"])
        #expect(set.problems.isEmpty)
        #expect(set.hooks.first?.file == directory.appending("vendor/10-a.json5"))
    }

    @Test("take the administrator's file instead of the vendor's")
    func overrides() throws {
        try directory.write(Self.good, to: "vendor/10-a.json5")
        try directory.write(Self.good, to: "vendor/20-b.json5")
        try directory.write(Self.good, to: "vendor/30-c.json5")
        try directory.write("{ match: { source: 'agent' }, run: ['/bin/sh'] }", to: "admin/10-a.json5")
        try directory.write("{ enabled: false }", to: "admin/20-b.json5")
        try directory.write("{", to: "admin/30-c.json5")
        let set = load()
        #expect(set.hooks.map(\.program) == ["/bin/sh"])
        #expect(set.problems.map(\.file) == [directory.appending("admin/30-c.json5")])
    }

    @Test("refuse a hook that the kernel cannot confine to its write paths, unless the file permits best-effort")
    func withoutLandlock() throws {
        let rest = "match: { source: 'link' }, run: ['/bin/true'],\n  writePaths: ['/run']"
        try directory.write("{ \(rest) }", to: "admin/10-strict.json5")
        try directory.write("{ \(rest), sandbox: 'best-effort' }", to: "admin/20-hoping.json5")
        try directory.write(Self.good, to: "admin/30-free.json5")
        let directories = [directory.appending("admin")]
        let lacking = HookSet.load(directories: directories, policy: policy, landlock: Landlock(abi: 0))
        #expect(lacking.hooks.map(\.name) == ["20-hoping", "30-free"])
        let problem = try #require(lacking.problems.first)
        #expect(problem.file == directory.appending("admin/10-strict.json5"))
        #expect(problem.line == 2 && problem.column == 15, "\(problem)")
        #expect(problem.message.contains("Landlock"), "\(problem)")
        for abi in 1...7 {
            let set = HookSet.load(directories: directories, policy: policy, landlock: Landlock(abi: abi))
            #expect(set.hooks.map(\.name) == ["10-strict", "20-hoping", "30-free"])
            #expect(set.problems.isEmpty)
        }
    }

    @Test("refuse an invalid file, with file, line and column, and keep the others")
    func brokenFile() throws {
        try directory.write(Self.good, to: "admin/10-a.json5")
        try directory.write("{\n  match: { source: 'link' },\n  run: ['/bin/true'\n}", to: "admin/20-b.json5")
        try directory.write(Self.good, to: "admin/30-c.json5")
        let set = load()
        #expect(set.hooks.map(\.name) == ["10-a", "30-c"])
        let problem = try #require(set.problems.first)
        #expect(set.problems.count == 1)
        #expect(problem.file == directory.appending("admin/20-b.json5"))
        #expect(problem.line == 4 && problem.column == 1)
    }

    @Test(
        "refuse a hook with a program that cannot run",
        arguments: [
            ("/usr/bin/no-such-program", "does not exist"), ("/etc/passwd", "not executable"),
            ("/usr/bin", "is a directory"), ("/dev/null", "not a regular file"),
        ])
    func badProgram(program: String, words: String) throws {
        try directory.write("{ match: { source: 'link' },\n run: ['\(program)'] }", to: "admin/a.json5")
        let set = load()
        #expect(set.hooks.isEmpty)
        let problem = try #require(set.problems.first)
        #expect(problem.line == 2 && problem.column == 8)
        #expect(problem.message.contains(program) && problem.message.contains(words), "\(problem.message)")
    }

    @Test("refuse files that other users can write to")
    func writable() throws {
        try directory.write(Self.good, to: "vendor/a.json5")
        try directory.write(Self.good, to: "admin/b.json5", mode: 0o666)
        try directory.write("#!/bin/sh\n", to: "script", mode: 0o777)
        try directory.write(
            "{ match: { source: 'link' }, run: ['\(directory.appending("script"))'] }", to: "admin/c.json5")
        try Files.makeLink(directory.appending("admin/d.json5"), to: "../vendor/a.json5")
        var set = load()
        #expect(set.hooks.map(\.name) == ["a"])
        #expect(set.problems.map { $0.file.suffix(7) } == ["b.json5", "c.json5", "d.json5"])
        try Files.setMode(directory.appending("vendor"), 0o777)
        set = load()
        #expect(set.hooks.isEmpty)
        #expect(set.problems.first?.file == directory.appending("vendor"))
    }

    @Test("have limits")
    func limits() throws {
        for number in 1000..<1300 { try directory.write(Self.good, to: "admin/\(number).json5") }
        try directory.write(Self.good, to: "admin/0 0.json5")
        try directory.write(Self.good, to: "admin/" + String(repeating: "0", count: 65) + ".json5")
        var set = load()
        #expect(set.hooks.count == 256)
        #expect(set.problems.count == 3)
        #expect(set.problems.last?.message.contains("256") == true)

        for number in 0..<9 {
            try directory.write(Self.good + String(repeating: " ", count: 60_000), to: "vendor/0\(number).json5")
        }
        try directory.write(Self.good + String(repeating: " ", count: 65_536), to: "vendor/000.json5")
        set = load()
        #expect(
            set.problems.contains { $0.file.hasSuffix("000.json5") && $0.message.contains("65536") })
        #expect(set.problems.contains { $0.message.contains("bytes in all") })
    }

    @Test("are reported with no more than a few hundred problems, and let other tasks run while they are read")
    func turns() async throws {
        for number in 1000..<1300 { try directory.write("{", to: "admin/\(number).json5") }
        let directories = [directory.appending("admin")]
        let policy = policy
        try await withLoop { loop in
            let turns = loop.task {
                var count = 0
                while !Task.isCancelled {
                    await loop.yield()
                    count += 1
                }
                return count
            }
            let set = await HookSet.load(directories: directories, policy: policy, on: loop)
            turns.cancel()
            #expect(await turns.value >= 250)
            #expect(set.hooks.isEmpty)
            #expect(set.problems.count == 257)
            #expect(set.problems.last?.message.contains("256") == true)
            #expect(HookSet.load(directories: directories, policy: policy) == set)
        }
    }

    @Test("are read from the delivered examples")
    func examples() throws {
        for name in ["10-log-links", "20-usb-storage", "30-new-hostname", "50-take-firmware"] {
            let text = try contents(of: TestPlaces.package.appending("deploy/examples/hooks.d/\(name).json5"))
            let hook = try HookFile(Array(text.utf8), name: name, file: name).hook
            #expect(hook != nil)
        }
        // Off as delivered, since its directory is not there.
        let text = try contents(of: TestPlaces.package.appending("deploy/examples/hooks.d/40-link-journal.json5"))
        #expect(try HookFile(Array(text.utf8), name: "40-link-journal", file: "f").hook == nil)
        let lines = text.split(separator: "\n").filter { !$0.contains("enabled: false") }
        let enabled = try HookFile(Array(lines.joined(separator: "\n").utf8), name: "40-link-journal", file: "f").hook
        #expect(enabled?.sandbox == HookSandbox(writePaths: ["/var/log/cleat-links"]))
    }
}
