import CleatIO
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Reading, writing and restoring single files of a system, by each way to resolve their paths.
@Suite(.tags(.board)) struct ManagedFilesTests {
    @Test(arguments: rootResolvers)
    func whatIsWrittenIsReadAndWhatWasCapturedIsRestored(kind: RootResolver.Kind) throws {
        let bench = try ManagedBench(kind)
        #expect(try code { _ = try bench.files.read("/etc/hostname") } == .notFound)
        let absence = try bench.files.capture("/etc/hostname")
        #expect(absence.isAbsence)
        try bench.files.write(Array("one\n".utf8), to: "/etc/hostname")
        #expect(try SandboxListing.status(bench.place("/etc/hostname")).mode == 0o644)
        try bench.files.write(Array("two\n".utf8), to: "/etc/hostname", permissions: 0o4750)
        let second = try bench.files.capture("/etc/hostname")
        #expect(!second.isAbsence)
        // The permissions of the file that is replaced are kept where none are given.
        try bench.files.write(Array("three\n".utf8), to: "/etc/hostname")
        let read = try bench.files.read("/etc/hostname")
        #expect(read.bytes == Array("three\n".utf8))
        #expect(read.permissions == 0o4750)
        #expect(read.owner == FileOwner(user: SandboxListing.user, group: SandboxListing.group))
        try bench.files.restore(absence)
        #expect(try bench.names("/etc").isEmpty)
        try bench.files.restore(absence)
        try bench.files.restore(second)
        #expect(try bench.text("/etc/hostname") == "two\n")
        #expect(try SandboxListing.status(bench.place("/etc/hostname")).mode == 0o4750)
        try bench.files.remove("/etc/hostname")
        try bench.files.remove("/etc/hostname")
        #expect(try bench.names("/etc").isEmpty)
        try bench.expectNothingOutside()
    }

    @Test(
        .enabled(if: SandboxListing.isRoot, "needs root, to give files away"), arguments: rootResolvers)
    func ownersComeBack(kind: RootResolver.Kind) throws {
        let bench = try ManagedBench(kind)
        let owner = FileOwner(user: 65534, group: 12)
        try bench.files.write([1], to: "/etc/hostname", owner: owner, permissions: 0o400)
        let memento = try bench.files.capture("/etc/hostname")
        // The owner of the file that is replaced is kept where none is given.
        try bench.files.write([2], to: "/etc/hostname")
        #expect(try bench.files.read("/etc/hostname").owner == owner)
        try bench.files.write([3], to: "/etc/hostname", owner: FileOwner(user: 1, group: 1), permissions: 0o666)
        try bench.files.restore(memento)
        #expect(try bench.files.read("/etc/hostname").owner == owner)
        #expect(try bench.files.read("/etc/hostname").permissions == 0o400)
        #expect(try bench.files.read("/etc/hostname").bytes == [1])
    }

    @Test("A captured, B written, A restored is A", arguments: rootResolvers, 1...20)
    func restoringGivesWhatWas(kind: RootResolver.Kind, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let deep = "/etc/systemd/network/a.network"
        for path in ["/etc/hostname", "/etc/resolv.conf", deep] {
            let bench = try ManagedBench(kind, makesParents: true)
            if path == "/etc/resolv.conf" { try SandboxListing.makeLink(bench.place(path), to: "../run/resolv.conf") }
            func state() throws -> ManagedFileContent? {
                do throws(SandboxError) {
                    return try bench.files.read(path)
                } catch {
                    guard error.code == .notFound else { throw error }
                    return nil
                }
            }
            func randomState() throws {
                if Int.random(in: 0..<4, using: &random) == 0 { return try bench.files.remove(path) }
                let owners = (0...2).map { FileOwner(user: UInt32($0), group: UInt32(2 - $0)) }
                try bench.files.write(
                    random.bytes(Int.random(in: 0...5000, using: &random)), to: path,
                    owner: SandboxListing.isRoot ? owners.randomElement(using: &random) : nil,
                    permissions: UInt16.random(in: 0...0o7777, using: &random) | (SandboxListing.isRoot ? 0 : 0o400))
            }
            if Bool.random(using: &random) { try randomState() }
            let before = try state()
            let directories = try bench.names("/etc")
            let memento = try FileMemento(encoded: bench.files.capture(path).encoded)
            #expect(memento.isAbsence == (before == nil))
            for _ in 0..<Int.random(in: 1...3, using: &random) { try randomState() }
            try bench.files.restore(memento)
            #expect(try state() == before)
            #expect(try bench.names("/etc") == directories)
            try bench.expectNothingOutside()
        }
    }

    @Test(arguments: rootResolvers)
    func onlyWhatIsDeclaredIsManaged(kind: RootResolver.Kind) throws {
        let bench = try ManagedBench(kind)
        try bench.put("root:x:0:0", "/etc/passwd")
        for path in ["/etc/passwd", "/etc/hostname2", "/run/hostname", "/etc/systemd/network/a.conf", "/hostname"] {
            #expect(try code { _ = try bench.files.read(path) } == .notDeclared, "\(path)")
            #expect(try code { _ = try bench.files.capture(path) } == .notDeclared)
            #expect(try code { try bench.files.write([1], to: path) } == .notDeclared)
            #expect(try code { try bench.files.remove(path) } == .notDeclared)
        }
        for path in [
            "", "etc/hostname", "/", "/etc/../etc/hostname", "/etc//hostname", "/etc/hostname/", "/etc/./hostname",
            "/etc/host\0name", "/etc/host\nname", "/" + String(repeating: "n", count: 256),
        ] {
            #expect(try code { _ = try bench.files.read(path) } == .badPath, "\(path)")
            #expect(try code { try bench.files.write([1], to: path) } == .badPath)
            #expect(try code { _ = try ManagedFileDeclaration(path) } == .badPath)
        }
        // A state that was captured elsewhere is not restored at an undeclared path.
        let other = try ManagedBench(kind, ["/etc/passwd"])
        try other.put("x", "/etc/passwd")
        let memento = try other.files.capture("/etc/passwd")
        #expect(try code { try bench.files.restore(memento) } == .notDeclared)
        #expect(try bench.text("/etc/passwd") == "root:x:0:0")
    }

    @Test(arguments: rootResolvers)
    func patternsMeanTheFilesOfOneDirectory(kind: RootResolver.Kind) throws {
        let bench = try ManagedBench(kind, makesParents: true)
        let declaration = try #require(bench.files.declarations.last)
        #expect(!declaration.isPlain)
        #expect(try bench.files.paths(of: declaration).isEmpty)
        let absence = try bench.files.capture("/etc/systemd/network/b.network")
        try bench.files.write([1], to: "/etc/systemd/network/b.network")
        try bench.files.write([1], to: "/etc/systemd/network/a.network")
        try bench.put("", "/etc/systemd/network/.hidden.network")
        try bench.put("", "/etc/systemd/network/a.conf")
        #expect(
            try bench.files.paths(of: declaration)
                == ["/etc/systemd/network/a.network", "/etc/systemd/network/b.network"])
        #expect(try code { _ = try bench.files.read("/etc/systemd/network/.hidden.network") } == .notDeclared)
        // The directories that were made stay for as long as something else is in them.
        try bench.files.restore(absence)
        #expect(try bench.names("/etc/systemd/network") == [".hidden.network", "a.conf", "a.network"])
    }

    @Test(arguments: rootResolvers)
    func directoriesAreMadeOnlyWhereThatIsDeclared(kind: RootResolver.Kind) throws {
        let path = "/etc/systemd/network/a.network"
        let without = try ManagedBench(kind)
        #expect(try code { try without.files.write([1], to: path) } == .notFound)
        #expect(try without.names("/etc").isEmpty)
        let bench = try ManagedBench(kind, makesParents: true)
        let absence = try bench.files.capture(path)
        try bench.files.write([1], to: path)
        #expect(try SandboxListing.status(bench.place("/etc/systemd")).mode == 0o755)
        try bench.files.restore(absence)
        #expect(try bench.names("/etc").isEmpty)
    }

    @Test(arguments: rootResolvers)
    func theFileBehindALinkIsTheManagedOne(kind: RootResolver.Kind) throws {
        for target in ["../run/resolv.conf", "/run/resolv.conf", "../../../run/./resolv.conf", "second"] {
            let bench = try ManagedBench(kind)
            try SandboxListing.makeLink(bench.place("/etc/second"), to: "/run/resolv.conf")
            try SandboxListing.makeLink(bench.place("/etc/resolv.conf"), to: target)
            let absence = try bench.files.capture("/etc/resolv.conf")
            #expect(absence.isAbsence)
            try bench.files.write([1], to: "/etc/resolv.conf")
            #expect(try SandboxListing.bytes(bench.place("/run/resolv.conf")) == [1])
            #expect(try bench.files.read("/etc/resolv.conf").bytes == [1])
            let memento = try bench.files.capture("/etc/resolv.conf")
            try bench.files.restore(absence)
            #expect(try bench.names("/run").isEmpty)
            try bench.files.restore(memento)
            #expect(try bench.names("/run") == ["resolv.conf"])
            // The link stays what it was.
            #expect(try bench.names("/etc") == ["resolv.conf", "second"])
            #expect(try SandboxListing.isLink(bench.place("/etc/resolv.conf")))
            try bench.expectNothingOutside()
        }
    }

    @Test(arguments: rootResolvers)
    func aLinkedDirectoryOnTheWayIsFollowed(kind: RootResolver.Kind) throws {
        let bench = try ManagedBench(kind, ["/config/hostname", "/config/up"])
        try SandboxListing.makeDirectory(bench.place("/usr"))
        try SandboxListing.makeDirectory(bench.place("/usr/config"))
        try SandboxListing.makeLink(bench.place("/config"), to: "usr/config")
        try bench.files.write([1], to: "/config/hostname")
        #expect(try bench.names("/usr/config") == ["hostname"])
        // “..” in a link leads to the real parent of the directory that the link is in.
        try SandboxListing.makeLink(bench.place("/usr/config/up"), to: "../above")
        try bench.files.write([2], to: "/config/up")
        #expect(try bench.names("/usr") == ["above", "config"])
    }

    @Test(arguments: rootResolvers)
    func noLinkLeadsOut(kind: RootResolver.Kind) throws {
        let template = try ManagedBench(kind)
        let canary = template.outside.appending("canary")
        for target in [
            canary, "../../canary", "../../../../../../../../.." + canary, "/../canary", "/../../../canary",
        ] {
            let bench = try ManagedBench(kind)
            try SandboxListing.makeLink(bench.place("/etc/hostname"), to: target)
            let written = try code { try bench.files.write([1], to: "/etc/hostname") }
            // Within the root the link may name a file that can be made, or a directory that is not there.
            #expect(written == nil || written == .notFound)
            _ = try code { _ = try bench.files.capture("/etc/hostname") }
            _ = try code { try bench.files.remove("/etc/hostname") }
            try bench.expectNothingOutside()
            try template.expectNothingOutside()
            let directory = try ManagedBench(kind, ["/etc/link/canary"], makesParents: true)
            try SandboxListing.makeLink(directory.place("/etc/link"), to: target.replacing("/canary", with: ""))
            _ = try code { try directory.files.write([1], to: "/etc/link/canary") }
            _ = try code { try directory.files.remove("/etc/link/canary") }
            try directory.expectNothingOutside()
            try template.expectNothingOutside()
        }
    }

    @Test(arguments: rootResolvers)
    func loopsEnd(kind: RootResolver.Kind) throws {
        let bench = try ManagedBench(kind, ["/etc/self", "/etc/a", "/etc/loop/file", "/etc/link-40", "/etc/link-41"])
        try SandboxListing.makeLink(bench.place("/etc/self"), to: "self")
        try SandboxListing.makeLink(bench.place("/etc/a"), to: "b")
        try SandboxListing.makeLink(bench.place("/etc/b"), to: "a")
        try SandboxListing.makeLink(bench.place("/etc/loop"), to: "loop")
        for path in ["/etc/self", "/etc/a", "/etc/loop/file"] {
            #expect(try code { _ = try bench.files.read(path) } == .symbolicLink, "\(path)")
            #expect(try code { try bench.files.write([1], to: path) } == .symbolicLink)
            #expect(try code { try bench.files.remove(path) } == .symbolicLink)
        }
        try bench.put("end", "/etc/link-0")
        for number in 1...41 {
            try SandboxListing.makeLink(bench.place("/etc/link-\(number)"), to: "link-\(number - 1)")
        }
        #expect(try bench.files.read("/etc/link-40").bytes == Array("end".utf8))
        #expect(try code { _ = try bench.files.read("/etc/link-41") } == .symbolicLink)
    }

    @Test(
        arguments: rootResolvers,
        ["directory", "fifo", "socket", "hard link", "link to a directory", "link with a slash"])
    func whatIsNoPlainFileIsRefused(kind: RootResolver.Kind, what: String) throws {
        let bench = try ManagedBench(kind)
        let place = bench.place("/etc/hostname")
        let expected: SandboxError.Code
        switch what {
        case "directory":
            try SandboxListing.makeDirectory(place)
            expected = .isDirectory
        case "fifo":
            try SandboxListing.makeFIFO(place)
            expected = .specialFile
        case "socket":
            try SandboxListing.makeSocket(place)
            expected = .specialFile
        case "hard link":
            try SandboxListing.makeHardLink(place, to: bench.outside.appending("canary"))
            expected = .hardLink
        case "link to a directory":
            try SandboxListing.makeLink(place, to: "..")
            expected = .isDirectory
        default:
            try SandboxListing.makeLink(place, to: "/run/")
            expected = .isDirectory
        }
        let empty = try ManagedBench(kind)
        let memento = try FileMemento(encoded: empty.files.capture("/etc/hostname").encoded)
        try empty.expectNothingOutside()
        #expect(try code { _ = try bench.files.read("/etc/hostname") } == expected)
        #expect(try code { _ = try bench.files.capture("/etc/hostname") } == expected)
        #expect(try code { try bench.files.write([1], to: "/etc/hostname") } == expected)
        #expect(try code { try bench.files.remove("/etc/hostname") } == expected)
        try bench.expectNothingOutside()
        #expect(try bench.names("/etc") == ["hostname"])
        // A link that has come since is not what is to be managed, but in its place.
        let isLink = try SandboxListing.isLink(place)
        #expect(try code { try bench.files.restore(memento) } == (isLink ? nil : expected))
        try bench.expectNothingOutside()
        #expect(try bench.names("/etc") == (isLink ? [] : ["hostname"]))
    }

    @Test(.enabled(if: SandboxListing.isRoot, "needs root, to make a device's node"), arguments: rootResolvers)
    func devicesAreRefused(kind: RootResolver.Kind) throws {
        for block in [false, true] {
            let bench = try ManagedBench(kind)
            try SandboxListing.makeDevice(bench.place("/etc/hostname"), block: block)
            #expect(try code { _ = try bench.files.read("/etc/hostname") } == .specialFile)
            #expect(try code { try bench.files.write([1], to: "/etc/hostname") } == .specialFile)
        }
    }

    @Test(.enabled(if: Namespace.isAvailable, "\(Namespace.reason)"), arguments: rootResolvers)
    func aMountPointIsRefused(kind: RootResolver.Kind) async throws {
        let bench = try ManagedBench(kind)
        try bench.put("below", "/etc/hostname")
        try bench.put("above", "/run/other")
        let writer = TestPlaces.program("StoreWriter").string
        let (root, place, other) = (bench.place(""), bench.place("/etc/hostname"), bench.place("/run/other"))
        let output = try await withLoop { loop in
            let result = try await Namespace.run(
                """
                mount --bind '\(other)' '\(place)'
                '\(writer)' managed '\(root)' path=/etc/hostname resolver=\(kind.rawValue)
                umount '\(place)'
                '\(writer)' managed '\(root)' path=/etc/hostname resolver=\(kind.rawValue)
                """, on: loop)
            return result.outputText
        }
        #expect(
            output.split(separator: "\n") == [
                "read mountPoint", "capture mountPoint", "write mountPoint", "remove mountPoint",
                "read done", "capture done", "write done", "remove done",
            ])
        #expect(try bench.text("/run/other") == "above")
    }

    @Test func limitsAreKept() throws {
        let bench = try ManagedBench(.walking, sizeLimit: 100)
        let full = [UInt8](repeating: 7, count: 100)
        try bench.files.write(full, to: "/etc/hostname")
        #expect(try bench.files.read("/etc/hostname").bytes == full)
        #expect(try code { try bench.files.write(full + [1], to: "/etc/hostname") } == .tooLarge)
        try bench.put(String(repeating: "x", count: 101), "/etc/hostname")
        #expect(try code { _ = try bench.files.read("/etc/hostname") } == .tooLarge)
        #expect(try code { _ = try bench.files.capture("/etc/hostname") } == .tooLarge)
    }

    @Test func leftoversAreRemoved() throws {
        let bench = try ManagedBench(.walking)
        try bench.put("", "/etc/.cleat-write-1")
        try bench.put("", "/run/.cleat-write-1")
        try bench.put("", "/etc/other")
        #expect(try bench.files.sweep() == 1)
        #expect(try bench.names("/etc") == ["other"])
        #expect(try bench.names("/run") == [".cleat-write-1"])
        // The file behind a link is written, and an interrupted write's file remains there.
        try SandboxListing.makeLink(bench.place("/etc/hostname"), to: "../run/hostname")
        #expect(try bench.files.sweep() == 1)
        #expect(try bench.names("/run").isEmpty)
    }

    @Test func oneDirectoryOfManyFilesIsListedOnce() throws {
        let calls = FaultyFileCalls()
        let bench = try ManagedBench(
            .walking, ["/etc/a", "/etc/b", "/etc/c", "/etc/*.conf", "/run/d"], calls: calls)
        try SandboxListing.makeLink(bench.place("/etc/a"), to: "../run/a")
        try SandboxListing.makeLink(bench.place("/etc/b"), to: "../run/b")
        try bench.put("", "/run/.cleat-write-1")
        calls.work()
        #expect(try bench.files.sweep() == 1)
        // The links lead to a directory that has been swept: listing it again is all that they add.
        #expect(calls.made.filter { $0 == .names }.count <= 3)
    }

    @Test func aRootThatIsNotThereIsAnError() throws {
        #expect(try code { _ = try ManagedFiles(root: "/nonexistent/cleat", declarations: []) } == .notFound)
    }
}
