import CleatAPI
import CleatHooks
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

@Suite("Sets of probes")
struct ProbeSetTests {
    let directory: TemporaryDirectory
    let policy = TrustPolicy(user: Files.user)

    init() throws {
        directory = try TemporaryDirectory()
        try Files.makeDirectory(directory.appending("vendor"))
        try Files.makeDirectory(directory.appending("admin"))
    }

    private func load() -> ProbeSet {
        ProbeSet.load(directories: [directory.appending("vendor"), directory.appending("admin")], policy: policy)
    }

    @Test("are read from the files; the administrator's replaces the vendor's")
    func layers() throws {
        #expect(ProbeSet.load(directories: [directory.appending("nowhere")], policy: policy) == ProbeSet())
        try directory.write("{ run: ['/bin/true'] }", to: "vendor/web.json5")
        try directory.write("{ run: ['/bin/true'] }", to: "vendor/gone.json5")
        try directory.write(
            "{ run: ['/bin/sh', '-c', 'exit 0'], timeout: '2s', comment: 'is it up?' }", to: "admin/web.json5")
        try Files.makeLink(directory.appending("admin/gone.json5"), to: "/dev/null")
        try directory.write("{", to: "admin/.hidden.json5")
        let set = load()
        #expect(set.problems.isEmpty, "\(set.problems)")
        #expect(
            set.commands == [
                "web": ProbeCommand(
                    name: "web", file: directory.appending("admin/web.json5"), command: ["/bin/sh", "-c", "exit 0"],
                    timeout: 2_000)
            ])
    }

    @Test(
        "refuse invalid files by name, and keep the others",
        arguments: [
            ("{", "line 1"), ("{}", "run is missing"), ("{ run: [] }", "run is empty"),
            ("{ run: ['true'] }", "not an absolute path"), ("{ run: '/bin/true' }", "has to be an array"),
            ("{ run: ['/bin/true'], timeout: 0 }", "timeout has to be from 1 ms to 1m"),
            ("{ run: ['/bin/true'], timeout: '61s' }", "timeout has to be from 1 ms to 1m"),
            ("{ run: ['/bin/true'], user: 'x' }", "unknown member user"),
            ("{ run: ['/no/such/program'] }", "its program cannot be run: /no"), ("[1]", "has to be an object"),
        ])
    func broken(text: String, reason: String) throws {
        try directory.write("{ run: ['/bin/true'] }", to: "admin/good.json5")
        try directory.write(text, to: "admin/bad.json5")
        let set = load()
        #expect(set.commands.keys.sorted() == ["good"])
        let problem = try #require(set.problems.first)
        let told = "line \(problem.line ?? 0): \(problem.message)"
        #expect(problem.file == directory.appending("admin/bad.json5") && told.contains(reason), "\(told)")
    }

    @Test("trust no file, and no program, that others can write; names are bounded, and so is their number")
    func trust() throws {
        try directory.write("{ run: ['/bin/true'] }", to: "admin/open.json5")
        try Files.setMode(directory.appending("admin/open.json5"), 0o666)
        try directory.write("#!/bin/sh\n", to: "program", mode: 0o757)
        try Files.setMode(directory.appending("program"), 0o757)
        try directory.write("{ run: ['\(directory.appending("program"))'] }", to: "admin/program.json5")
        try directory.write("{ run: ['/bin/true'] }", to: "admin/a b.json5")
        try directory.write(
            "{ run: ['/bin/true'] } //" + String(repeating: "x", count: 16 << 10), to: "admin/long.json5")
        let set = load()
        #expect(set.commands.isEmpty && set.problems.count == 4, "\(set.problems)")
        let files = ["open.json5", "program.json5", "a b.json5", "long.json5"].map {
            directory.appending("admin/\($0)")
        }
        #expect(Set(set.problems.map(\.file)) == Set(files), "\(set.problems)")
        let open: [(file: String, path: String, purpose: TrustPolicy.Purpose)] = [
            (files[0], files[0], .layering), (files[1], directory.appending("program"), .running),
        ]
        for (file, path, purpose) in open {
            let error = try #require(throws: TrustError.self) { _ = try policy.open(path, for: purpose) }
            #expect(error.errno == .notPermitted && error.path == path)
            let problem = set.problems.first { $0.file == file }
            #expect(problem?.message.contains(error.reason) == true, "\(set.problems)")
        }
        for index in 0..<65 { try directory.write("{ run: ['/bin/true'] }", to: "vendor/p\(index).json5") }
        let many = load()
        #expect(many.commands.count == 64 && many.problems.last?.message.contains("64") == true)
    }
}
