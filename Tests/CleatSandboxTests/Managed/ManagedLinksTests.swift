import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of names that are managed themselves, also if they are links.
@Suite(.tags(.board)) struct ManagedLinksTests {
    static let path = "/etc/localtime"

    func bench(
        _ kind: RootResolver.Kind = .walking, makesParents: Bool = false, path: String = Self.path,
        calls: any ManagedFileCalls = SystemFileCalls()
    ) throws -> (ManagedBench, ManagedFiles) {
        let bench = try ManagedBench(kind)
        let files = try ManagedFiles(
            root: bench.outside.path.appending("root"),
            declarations: [ManagedFileDeclaration(path, makesParents: makesParents, isLink: true)],
            resolver: RootResolver(kind), calls: calls)
        return (bench, files)
    }

    func target(_ bench: ManagedBench, _ path: String = Self.path) throws -> String? {
        let directory = try FileDescriptor.open(FilePath(bench.place("/etc")), .readOnly)
        return try directory.closeAfter {
            try? SystemFileCalls().readLink(FileName(String(path.split(separator: "/").last ?? "")), in: directory)
        }
    }

    @Test(arguments: rootResolvers)
    func aLinkReplacesAnythingAndTheFormerIsRestored(kind: RootResolver.Kind) throws {
        enum Before: CaseIterable { case none, link, dangling, file }
        for before in Before.allCases {
            let (bench, files) = try bench(kind)
            try bench.put("zone", "/run/zone")
            switch before {
            case .none: break
            case .link: try SandboxListing.makeLink(bench.place(Self.path), to: "../run/zone")
            case .dangling: try SandboxListing.makeLink(bench.place(Self.path), to: "/nowhere")
            case .file: try bench.put("own", Self.path, mode: 0o4640)
            }
            let memento = try FileMemento(encoded: try files.capture(Self.path).encoded)
            #expect(memento.isAbsence == (before == .none))
            try files.link(Self.path, to: "../usr/share/zoneinfo/UTC")
            #expect(try files.linkTarget(Self.path) == "../usr/share/zoneinfo/UTC")
            #expect(try target(bench) == "../usr/share/zoneinfo/UTC")
            try files.restore(memento)
            switch before {
            case .none: #expect(try bench.names("/etc") == [])
            case .link: #expect(try target(bench) == "../run/zone")
            case .dangling: #expect(try target(bench) == "/nowhere")
            case .file:
                #expect(try bench.text(Self.path) == "own")
                #expect(try SandboxListing.status(bench.place(Self.path)).mode & 0o7777 == 0o4640)
                #expect(try files.linkTarget(Self.path) == nil)
            }
            #expect(try bench.text("/run/zone") == "zone")
            #expect(try bench.names("/run") == ["zone"])
            try bench.expectNothingOutside()
        }
    }

    @Test func aFileTakesTheLinksPlace() throws {
        let (bench, files) = try bench()
        try bench.put("zone", "/run/zone")
        try SandboxListing.makeLink(bench.place(Self.path), to: "../run/zone")
        try files.write(Array("own".utf8), to: Self.path)
        #expect(try !SandboxListing.isLink(bench.place(Self.path)))
        #expect(try SandboxListing.status(bench.place(Self.path)).mode & 0o7777 == 0o644)
        #expect(try bench.text("/run/zone") == "zone")
        try files.remove(Self.path)
        #expect(try bench.names("/etc") == [])
    }

    @Test func directoriesAndWhatIsNoFileAreRefused() throws {
        let (bench, files) = try bench()
        try SandboxListing.makeDirectory(bench.place(Self.path))
        #expect(try code { _ = try files.capture(Self.path) } == .isDirectory)
        #expect(try code { try files.link(Self.path, to: "a") } == .isDirectory)
        try SandboxListing.removeDirectory(bench.place(Self.path))
        try SandboxListing.makeFIFO(bench.place(Self.path))
        #expect(try code { _ = try files.capture(Self.path) } == .specialFile)
        #expect(try code { try files.link(Self.path, to: "a") } == .specialFile)
        #expect(try code { try files.link("/etc/other", to: "a") } == .notDeclared)
        // What was declared as a file is no place for a link.
        #expect(try code { try bench.files.link("/etc/hostname", to: "a") } == .notDeclared)
    }

    @Test(arguments: rootResolvers)
    func missingDirectoriesAreMadeAndTakenAway(kind: RootResolver.Kind) throws {
        let (bench, files) = try bench(kind, makesParents: true, path: "/etc/a/b/link")
        let memento = try files.capture("/etc/a/b/link")
        try files.link("/etc/a/b/link", to: "c")
        #expect(try files.linkTarget("/etc/a/b/link") == "c")
        try files.restore(memento)
        #expect(try bench.names("/etc") == [])
    }

    @Test("each failed call is an error, and leaves the old link or the new one", arguments: rootResolvers)
    func faults(kind: RootResolver.Kind) throws {
        enum Step: CaseIterable { case capture, link, restore }
        for step in Step.allCases {
            var at = 0
            while true {
                let calls = FaultyFileCalls()
                let (bench, files) = try bench(kind, calls: calls)
                try SandboxListing.makeLink(bench.place(Self.path), to: "old")
                let memento = try files.capture(Self.path)
                if step == .restore { try files.link(Self.path, to: "new") }
                let take = {
                    switch step {
                    case .capture: _ = try files.capture(Self.path)
                    case .link: try files.link(Self.path, to: "new")
                    case .restore: try files.restore(memento)
                    }
                }
                calls.set(.once(at: at, .ioError))
                let failed = try code(take)
                if calls.failed == 0 { break }
                #expect(failed == .inputOutput, "\(step), call \(at)")
                #expect(["old", "new"].contains(try target(bench)))
                calls.set(.never)
                try take()
                try files.sweep()
                #expect(try target(bench) == (step == .link ? "new" : "old"))
                #expect(try bench.names("/etc") == ["localtime"])
                at += 1
            }
            #expect(at >= 4)
        }
    }
}
