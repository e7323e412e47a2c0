import CleatAdapters
import CleatIO
import CleatSandbox
import CleatStore
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAgent

@Suite("Files that have not changed since the last snapshot are not read again") struct CapturedFilesTests {
    private static let names = ["a", "b", "c"]

    /// A directory as the root, with three files and a link in it.
    private struct Root {
        let directory: TemporaryDirectory
        let system: SystemResources
        var resources: [(resource: Resource, adapter: String)] {
            (names + ["link"]).map { (.file("/etc/\($0)"), "adapter") }
        }

        init() throws {
            directory = try TemporaryDirectory()
            try directory.makeDirectory("etc")
            for name in names { try directory.write("the content of \(name)", to: "etc/\(name)") }
            try directory.write("behind", to: "behind")
            try Files.makeLink(directory.appending("etc/link"), to: "../behind")
            system = try SystemResources(
                root: directory.path, declarations: [ManagedFileDeclaration("/etc/*")])
        }

        /// Returns the names of the files that were read, and requires that all states are the present ones.
        func read(_ files: CapturedFiles, keeping isKept: Bool = true) throws -> [String] {
            let states = try files.capture(resources, holdingSecrets: [], on: system)
            if isKept { files.keep() }
            for (state, (resource, adapter)) in zip(states, resources) {
                let memento = try system.capture(resource, for: adapter)
                #expect(state.resource == resource.text && state.isSecret == memento.isHiddenFromOthers)
                #expect(state.state?.hash == ObjectHash(of: memento.encoded))
                #expect(state.state?.size == Int64(memento.encoded.count))
            }
            return states.filter { $0.state?.bytes != nil }.map { String($0.resource.split(separator: "/").last ?? "") }
        }
    }

    /// A memory whose clock is an hour ahead, so that no file is too new to be remembered.
    private static func remembering() -> CapturedFiles {
        CapturedFiles { WallTime(milliseconds: WallTime.now().milliseconds + 3_600_000) }
    }

    @Test("Only what has changed is read: content, mode, another file of the same content; a link always")
    func changes() throws {
        let (root, files) = (try Root(), Self.remembering())
        #expect(try root.read(files) == ["a", "b", "c", "link"])
        #expect(try root.read(files) == ["link"])
        try root.directory.write("other", to: "etc/b")
        #expect(try root.read(files) == ["b", "link"])
        try Files.setMode(root.directory.appending("etc/a"), 0o600)
        #expect(try root.read(files) == ["a", "link"])
        try root.directory.replace("etc/c", with: "the content of c")
        #expect(try root.read(files) == ["c", "link"])
        try Files.remove(root.directory.appending("etc/c"))
        #expect(try root.read(files) == ["c", "link"])
        #expect(try root.read(files) == ["c", "link"])
        #expect(try root.read(files) == ["c", "link"])
    }

    @Test("A state that the store lacks, or never got, is read again, and no other one")
    func forgotten() throws {
        let (root, files) = (try Root(), Self.remembering())
        for _ in 0..<2 { #expect(try root.read(files, keeping: false).count == 4) }
        _ = try root.read(files)
        let lost = try root.system.capture(.file("/etc/b"), for: "adapter")
        files.forget([ObjectHash(of: lost.encoded)])
        try root.directory.write("other", to: "etc/c")
        for isKept in [false, true] { #expect(try root.read(files, keeping: isKept) == ["b", "c", "link"]) }
        #expect(try root.read(files) == ["link"])
    }

    @Test("A file that was written just now is read again, since it could be written once more at the same time")
    func fresh() throws {
        let start = WallTime.now()
        let (root, files) = (try Root(), CapturedFiles { start })
        #expect(try root.read(files).count == 4)
        #expect(try root.read(files).count == 4)
    }

    @Test("Another adapter's state is another one")
    func adapters() throws {
        let (root, files) = (try Root(), Self.remembering())
        _ = try root.read(files)
        let others = root.resources.map { ($0.resource, "another") }
        let states = try files.capture(others, holdingSecrets: ["another"], on: root.system)
        #expect(states.allSatisfy { $0.state?.bytes != nil && $0.isSecret })
    }
}
