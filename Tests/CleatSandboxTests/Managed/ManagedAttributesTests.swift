import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Access lists, labels and the like of managed files, on a real file system.
@Suite(.tags(.board)) struct ManagedAttributesTests {
    /// The attributes that this process may set on the file system of the tests.
    static let possible: Set<String> = {
        guard let bench = try? ManagedBench(.walking), (try? bench.put("x", "/etc/hostname")) != nil else { return [] }
        return Set(
            ["user.cleat", "security.cleat", "system.posix_acl_access", "security.capability"].filter { name in
                (try? set(bench, "/etc/hostname", name, sample(name))) != nil
            })
    }()

    /// A value that the kernel takes: an access list with an entry for the user 1234, a capability to bind any port.
    private static func sample(_ name: String) -> [UInt8] {
        func little(_ value: UInt32, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xff) } }
        func entry(_ tag: UInt32, _ may: UInt32, _ id: UInt32 = .max) -> [UInt8] {
            little(tag, 2) + little(may, 2) + little(id, 4)
        }
        switch name {
        case "system.posix_acl_access", "system.posix_acl_default":
            return little(2, 4) + entry(1, 6) + entry(2, 4, 1234) + entry(4, 4) + entry(0x10, 4) + entry(0x20, 0)
        case "security.capability": return little(0x0200_0001, 4) + little(1 << 10, 4) + little(0, 12)
        default: return Array("what \(name) holds".utf8) + [0, 0xff]
        }
    }

    private static func open<Value>(
        _ bench: ManagedBench, _ path: String, _ body: (FileDescriptor) throws -> Value
    ) throws -> Value {
        let file = try FileDescriptor.open(FilePath(bench.place(path)), .readOnly)
        return try file.closeAfter { try body(file) }
    }

    private static func set(_ bench: ManagedBench, _ path: String, _ name: String, _ value: [UInt8]) throws {
        try open(bench, path) { file in
            try SystemFileCalls().setAttribute(ExtendedAttribute(name: FileName(name), value: value), of: file)
        }
    }

    private static func value(_ bench: ManagedBench, _ path: String, _ name: String) throws -> [UInt8]? {
        try open(bench, path) { file in
            do {
                return try SystemFileCalls().attribute(FileName(name), of: file)
            } catch Errno.noData {
                return nil
            }
        }
    }

    @Test(
        .enabled(if: !possible.isEmpty, "the file system of the tests has no extended attributes"),
        arguments: possible.sorted())
    func aRestoreBringsThemBack(name: String) throws {
        let bench = try ManagedBench()
        let path = "/etc/hostname"
        try bench.put("old", path, mode: 0o640)
        try Self.set(bench, path, name, Self.sample(name))
        let mode = try SandboxListing.status(bench.place(path)).mode
        let memento = try bench.files.capture(path)
        #expect(try FileMemento(encoded: memento.encoded) == memento)
        #expect(try bench.files.read(path).attributes.map(\.name).contains(FileName(name)))
        for change in ["written", "removed", "replaced"] {
            switch change {
            case "written": try bench.files.write(Array("new".utf8), to: path, permissions: 0o600)
            case "removed": try bench.files.remove(path)
            default:
                try SandboxListing.remove(bench.place(path))
                try bench.put("other", path)
            }
            try bench.files.restore(memento)
            #expect(try bench.text(path) == "old")
            #expect(try Self.value(bench, path, name) == Self.sample(name), "\(change)")
            #expect(try SandboxListing.status(bench.place(path)).mode == mode, "\(change)")
            #expect(try bench.files.capture(path) == memento, "\(change)")
        }
    }

    /// A privilege belongs to the bytes that it was given to; whom they may be read by does not.
    @Test(
        .enabled(if: !possible.isEmpty, "the file system of the tests has no extended attributes"),
        arguments: possible.sorted())
    func aWriteKeepsThemButForThoseOfTheOldBytes(name: String) throws {
        let bench = try ManagedBench()
        try bench.put("old", "/etc/hostname")
        try Self.set(bench, "/etc/hostname", name, Self.sample(name))
        let mode = try SandboxListing.status(bench.place("/etc/hostname")).mode
        try bench.files.write(Array("new".utf8), to: "/etc/hostname")
        #expect(
            try Self.value(bench, "/etc/hostname", name) == (name == "security.capability" ? nil : Self.sample(name)))
        #expect(try SandboxListing.status(bench.place("/etc/hostname")).mode == mode)
        #expect(try bench.text("/etc/hostname") == "new")
    }

    /// A directory may give an access list to every file that is made in it; what was captured had none.
    @Test(
        .enabled(if: possible.contains("system.posix_acl_access"), "the file system of the tests has no access lists"))
    func whatTheDirectoryGivesIsTakenAway() throws {
        let bench = try ManagedBench()
        let list = "system.posix_acl_access"
        try bench.put("old", "/etc/hostname", mode: 0o640)
        let memento = try bench.files.capture("/etc/hostname")
        try Self.set(bench, "/etc", "system.posix_acl_default", Self.sample(list))
        try bench.put("control", "/etc/control")
        #expect(try Self.value(bench, "/etc/control", list) != nil)
        try bench.files.remove("/etc/hostname")
        try bench.files.restore(memento)
        #expect(try Self.value(bench, "/etc/hostname", list) == nil)
        #expect(try SandboxListing.status(bench.place("/etc/hostname")).mode == 0o640)
        #expect(try bench.files.capture("/etc/hostname") == memento)
        // A new file gets the attributes of its directory.
        try bench.files.remove("/etc/hostname")
        try bench.files.write([], to: "/etc/hostname")
        #expect(try Self.value(bench, "/etc/hostname", list) != nil)
    }

    @Test func aFileSystemWithoutThemIsNoError() throws {
        let calls = FaultyFileCalls()
        let bench = try ManagedBench(calls: calls)
        try bench.put("old", "/etc/hostname")
        calls.decide { call, _ in
            [.attributeNames, .attribute, .setAttribute, .removeAttribute].contains(call)
                ? .fails(.notSupported) : .works
        }
        let memento = try bench.files.capture("/etc/hostname")
        try bench.files.write(Array("new".utf8), to: "/etc/hostname")
        try bench.files.restore(memento)
        #expect(try bench.text("/etc/hostname") == "old")
        #expect(calls.made.contains(.attributeNames))
    }

    @Test(.enabled(if: possible.contains("user.cleat"), "the file system of the tests has no attributes of users"))
    func moreThanAreKeptAreRefusedAndNothingIsDone() throws {
        let bench = try ManagedBench()
        try bench.put("old", "/etc/hostname")
        for number in 0..<65 { try Self.set(bench, "/etc/hostname", "user.\(number)", [1]) }
        #expect(try code { _ = try bench.files.capture("/etc/hostname") } == .tooLarge)
        #expect(try code { try bench.files.write([1], to: "/etc/hostname") } == .tooLarge)
        #expect(try bench.text("/etc/hostname") == "old")
    }

    /// Each call fails once, those of the attributes included: the failure is reported, and the old file is intact.
    @Test(
        .enabled(if: possible.contains("user.cleat"), "the file system of the tests has no attributes of users"),
        arguments: [Errno.noSpace, .ioError, .diskQuotaExceeded, .readOnlyFileSystem])
    func anAttributeThatCannotBeSetIsAnError(cause: Errno) throws {
        let calls = FaultyFileCalls()
        let bench = try ManagedBench(calls: calls)
        try bench.put("old", "/etc/hostname")
        try Self.set(bench, "/etc/hostname", "user.cleat", [1, 2])
        let memento = try bench.files.capture("/etc/hostname")
        try SandboxListing.remove(bench.place("/etc/hostname"))
        try bench.put("present", "/etc/hostname")
        for call in [FileCall.attribute, .setAttribute] {
            calls.set(.every(call, cause))
            let error = try #require(throws: SandboxError.self) { try bench.files.restore(memento) }
            #expect(error.code == SandboxError.Code(cause) && error.errno == cause)
            let step = DurableFileError(stage: .attributes, name: "hostname", cause: cause)
            #expect(error.detail?.hasPrefix(step.reason) == true, "\(error)")
            #expect(try bench.text("/etc/hostname") == "present")
            #expect(try bench.names("/etc") == ["hostname"])
        }
        calls.set(.never)
        try bench.files.restore(memento)
        #expect(try Self.value(bench, "/etc/hostname", "user.cleat") == [1, 2])
    }
}
