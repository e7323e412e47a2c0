import CleatAPI
import CleatAdapters
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of other objects in the place of a file that an adapter writes.
@Suite(.tags(.board)) struct ObstacleTests {
    static func expectRefusal(
        _ board: TestBoard, _ values: [(String, JSONValue)], _ resource: Resource, _ words: String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let before = try board.state()
        let change = board.set.change(from: nil, to: try board.settings(values))
        do throws(ResourceError) {
            _ = try board.set.applier.capture(change, on: board.system)
            Issue.record("it was captured", sourceLocation: location)
        } catch {
            #expect(error.resource == resource, sourceLocation: location)
            #expect(error.description.utf8.count < 300, sourceLocation: location)
            #expect(error.reason.contains(words), "\(error)", sourceLocation: location)
        }
        let results = board.set.applier.apply(change, on: board.system, origins: [:])
        #expect(results.flatMap(\.errors).map(\.resource) == [resource], sourceLocation: location)
        #expect(try board.state() == before, sourceLocation: location)
    }

    @Test func aDirectoryAFIFOAndAFileWithTwoNamesAreRefused() throws {
        let hostname: [(String, JSONValue)] = [("system/hostname", "a")]
        let zone: [(String, JSONValue)] = [("system/timezone", "UTC")]
        let board = try TestBoard()
        for (path, values, resource) in [
            ("/etc/hostname", hostname, Resource.file("/etc/hostname")),
            ("/etc/localtime", zone, .link("/etc/localtime")),
        ] {
            let place = board.root + path
            try makeDirectories(place)
            try Self.expectRefusal(board, values, resource, "directory")
            try removeName(place)
            try makeFIFO(place)
            try Self.expectRefusal(board, values, resource, "FIFO")
            try removeName(place)
            try board.directory.write("text", to: "root/etc/other")
            try makeHardLink(place, to: board.root + "/etc/other")
            try Self.expectRefusal(board, values, resource, "another name")
            try removeName(place)
            try removeName(board.root + "/etc/other")
        }
    }

    @Test("a link is followed within the root, and stays; none leads out of it")
    func links() throws {
        let board = try TestBoard()
        try board.directory.write("precious", to: "canary")
        for target in ["../run/name", "/run/name", "../../../../run/name"] {
            try makeLink(board.root + "/etc/hostname", to: target)
            let before = try board.state()
            var origins: [Resource: Memento] = [:]
            let settings = try board.settings([("system/hostname", "a")])
            let nothing = try board.settings([])
            let plan = board.set.plan(
                board.set.change(from: nil, to: settings), from: nothing, to: settings, on: board.system, origins: [:])
            let note = plan.steps.first { $0.kind == "file" && $0.resource == "/etc/hostname" }?.note
            #expect(note == "symbolic link; its target \(target) is written")
            let applied = try AppliedChange(board, from: try board.settings([]), to: settings, origins: &origins)
            #expect(applied.isSuccess)
            #expect(try board.directory.read("root/run/name") == "a\n")
            #expect(board.set.applier.restore(applied.mementos, on: board.system).flatMap(\.errors).isEmpty)
            #expect(try board.state() == before)
            try removeName(board.root + "/etc/hostname")
        }
        try makeLink(board.root + "/etc/hostname", to: board.directory.appending("canary"))
        let change = board.set.change(from: nil, to: try board.settings([("system/hostname", "a")]))
        _ = board.set.applier.apply(change, on: board.system, origins: [:])
        #expect(try board.directory.read("canary") == "precious")
    }

    @Test(
        "a mount over a file or a value is refused",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable))
    func mounts() async throws {
        try await OwnNamespaces.run {
            let board = try TestBoard(isRunning: true)
            let own = try board.directory.write("1\n", to: "own")
            try board.directory.write("old\n", to: "root/etc/hostname")
            try mounted(own, over: board.root + "/etc/hostname") {
                try Self.expectRefusal(board, [("system/hostname", "a")], .file("/etc/hostname"), "mounted")
            }
            let forward = "/proc/sys/net/ipv4/ip_forward"
            try mounted(own, over: forward) {
                let change = board.set.change(
                    from: nil, to: try board.settings([("kernel/sysctl/net.ipv4.ip_forward", 1)]))
                #expect(throws: ResourceError.self) { try board.set.applier.capture(change, on: board.system) }
                let errors = board.set.applier.apply(change, on: board.system, origins: [:]).flatMap(\.errors)
                #expect(errors.map(\.resource) == [.attribute(forward)])
                #expect(errors.map(\.stage) == [.apply] && errors.map(\.errno) == [.improperLink], "\(errors)")
            }
            #expect(try board.directory.read("own") == "1\n")
        }
    }

    @Test(
        "a read-only target is refused in check; an unchanged one is restored without a write",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable))
    func readOnlyFiles() async throws {
        try await OwnNamespaces.run {
            let board = try TestBoard(isRunning: true)
            try board.directory.write("old\n", to: "root/etc/hostname", mode: 0o640)
            try board.directory.write("127.0.1.1 old\n", to: "root/etc/hosts")
            let settings = try board.settings([("system/hostname", "new"), ("system/timezone", "UTC")])
            let change = board.set.change(from: nil, to: settings)
            let before = try board.state()
            try readOnly(board.root + "/etc") {
                let problems = board.set.check(settings, change, on: board.system)
                #expect(Set(problems.map(\.path.text)) == ["system/hostname", "system/timezone"], "\(problems)")
                #expect(problems.allSatisfy { $0.code == .system && $0.reason.contains("mounted read-only") })
                let mementos = try board.set.applier.capture(change, on: board.system)
                let results = board.set.applier.apply(change, on: board.system, origins: [:])
                #expect(results.flatMap(\.errors).map(\.errno) == [.readOnlyFileSystem], "\(results)")
                // A file, a line of one, the kernel's host name, a link that was not there.
                #expect(mementos.count >= 4)
                let back = board.set.applier.restore(mementos, on: board.system)
                #expect(back.flatMap(\.errors).isEmpty, "\(back)")
                #expect(back.flatMap(\.written).isEmpty, "\(back)")
                #expect(try board.state() == before)
            }
        }
    }

    @Test("invalid values of the kernel are neither read nor written")
    func kernelValues() throws {
        let directory = try TemporaryDirectory()
        try directory.write("1", to: "file")
        try makeFIFO(directory.appending("fifo"))
        try makeLink(directory.appending("link"), to: "/proc/sys/kernel/ostype")
        let calls = SystemKernelCalls()
        for (path, errno) in [
            (directory.appending("file"), Errno.improperLink), (directory.appending("fifo"), .noSuchAddressOrDevice),
            (directory.appending("link"), .tooManySymbolicLinkLevels), ("/proc/sys/net", .isDirectory),
            ("/dev/null", .noSuchAddressOrDevice), ("/proc/sys/none", .noSuchFileOrDirectory),
        ] {
            #expect(throws: errno, "\(path)") { try calls.read(attribute: path) }
            #expect(throws: errno, "\(path)") { try calls.write([0x31], toAttribute: path) }
        }
        #expect(String(decoding: try calls.read(attribute: "/proc/sys/kernel/ostype"), as: UTF8.self) == "Linux\n")
    }
}
