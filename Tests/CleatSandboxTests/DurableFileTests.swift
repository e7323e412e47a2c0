import CleatSandbox
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

/// Makes one call of a durable write fail, and does all others for real.
final class FaultyCalls: DurableFileCalls {
    enum Call: String, CaseIterable {
        case create, write, flush, setOwner, setPermissions, close, rename, flushDirectory
    }

    private let real = SystemFileCalls()
    private let failing: Call
    private let error: Errno
    /// The most bytes that one write takes.
    private let slice: Int
    private let state: Mutex<(times: Int, calls: [Call])>

    var calls: [Call] { state.withLock { $0.calls } }

    init(_ failing: Call, _ error: Errno, times: Int = .max, slice: Int = .max) {
        self.failing = failing
        self.error = error
        self.slice = slice
        state = Mutex((times, []))
    }

    private func pass(_ call: Call) throws(Errno) {
        let fails = state.withLock { state in
            state.calls.append(call)
            guard call == failing, state.times > 0 else { return false }
            state.times -= 1
            return true
        }
        if fails { throw error }
    }

    func create(_ name: String, in directory: FileDescriptor) throws(Errno) -> FileDescriptor {
        try pass(.create)
        return try real.create(name, in: directory)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(Errno) -> Int {
        try pass(.write)
        return try unsafe real.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(slice)), to: file)
    }

    func flush(_ file: FileDescriptor) throws(Errno) {
        try pass(.flush)
        try real.flush(file)
    }

    func setOwner(_ owner: FileOwner, of file: FileDescriptor) throws(Errno) {
        try pass(.setOwner)
        try real.setOwner(owner, of: file)
    }

    func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
        try pass(.setPermissions)
        try real.setPermissions(permissions, of: file)
    }

    func close(_ file: FileDescriptor) throws(Errno) {
        try real.close(file)
        try pass(.close)
    }

    func rename(_ name: String, to other: String, in directory: FileDescriptor) throws(Errno) {
        try pass(.rename)
        try real.rename(name, to: other, in: directory)
    }

    func flushDirectory(_ directory: FileDescriptor) throws(Errno) {
        try pass(.flushDirectory)
        try real.flushDirectory(directory)
    }

    func remove(_ name: String, in directory: FileDescriptor) throws(Errno) {
        try real.remove(name, in: directory)
    }
}

@Suite(.tags(.board)) final class DurableFileTests {
    let directory: TemporaryDirectory
    let descriptor: FileDescriptor

    init() throws {
        directory = try TemporaryDirectory()
        descriptor = try FileDescriptor.open(directory.path, .readOnly, options: [.directory, .closeOnExec])
    }

    deinit { try? descriptor.close() }

    func names() throws -> [String] { try SandboxListing.names(directory.text).sorted() }

    @Test(arguments: [0, 1, 4095, 4096, 1 << 20])
    func aFileIsMadeAndReplacedWhole(size: Int) throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2 {
            let content = random.bytes(size)
            try DurableFile.write(content, to: "file", in: descriptor)
            #expect(try SandboxListing.bytes(directory.appending("file")) == content)
            #expect(try names() == ["file"])
        }
    }

    @Test func permissionsAndOwnerAreSetWhateverTheMask() throws {
        try DurableFile.write(
            [1], to: "a", in: descriptor, permissions: [.ownerReadWrite, .groupReadWrite, .otherWrite])
        #expect(try SandboxListing.status(directory.appending("a")).mode == 0o662)
        try DurableFile.write([1], to: "b", in: descriptor)
        #expect(try SandboxListing.status(directory.appending("b")).mode == 0o600)
    }

    @Test(.enabled(if: SandboxListing.isRoot, "needs root, to give files away"))
    func aFileCanBeGivenAway() throws {
        try DurableFile.write(
            [1], to: "a", in: descriptor, permissions: .ownerRead, owner: FileOwner(user: 65534, group: 12))
        let status = try SandboxListing.status(directory.appending("a"))
        #expect(status.user == 65534)
        #expect(status.group == 12)
        #expect(status.mode == 0o400)
    }

    @Test func theCallsAreMadeInTheirOrder() throws {
        let calls = FaultyCalls(.create, .ioError, times: 0)
        try DurableFile.write(
            [1, 2], to: "a", in: descriptor, owner: FileOwner(user: SandboxListing.user, group: SandboxListing.group),
            calls: calls)
        #expect(
            calls.calls == [.create, .write, .flush, .setOwner, .setPermissions, .close, .rename, .flushDirectory])
    }

    @Test(
        arguments: FaultyCalls.Call.allCases,
        [Errno.ioError, .noSpace, .resourceBusy, .readOnlyFileSystem, .permissionDenied, .diskQuotaExceeded])
    func aFailedCallLeavesTheOldFileWhole(call: FaultyCalls.Call, cause: Errno) throws {
        try directory.write("old", to: "file")
        let calls = FaultyCalls(call, cause)
        let error = #expect(throws: DurableFileError.self) {
            try DurableFile.write(
                Array("new".utf8), to: "file", in: descriptor,
                owner: FileOwner(user: SandboxListing.user, group: SandboxListing.group), calls: calls)
        }
        let stages: [FaultyCalls.Call: DurableFileError.Stage] = [
            .create: .create, .write: .write, .flush: .flush, .setOwner: .owner, .setPermissions: .permissions,
            .close: .flush, .rename: .rename, .flushDirectory: .flushDirectory,
        ]
        #expect(error?.stage == stages[call])
        #expect(error?.cause == cause)
        #expect(try directory.read("file") == (call == .flushDirectory ? "new" : "old"))
        #expect(error?.isInPlace == (call == .flushDirectory))
        #expect(error?.name == "file")
        #expect(try names() == ["file"])
        // A failed flush must not be tried again: the kernel has forgotten what it could not write.
        #expect(calls.calls.filter { $0 == call }.count == 1)
    }

    @Test(arguments: FaultyCalls.Call.allCases)
    func anInterruptedCallIsMadeAgain(call: FaultyCalls.Call) throws {
        try directory.write("old", to: "file")
        let calls = FaultyCalls(call, .interrupted, times: 3)
        try DurableFile.write(Array("new".utf8), to: "file", in: descriptor, calls: calls)
        #expect(try directory.read("file") == "new")
        #expect(try names() == ["file"])
    }

    @Test(arguments: [1, 7, 100])
    func shortWritesAreContinued(slice: Int) throws {
        let content = Array((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
        try DurableFile.write(
            content, to: "file", in: descriptor, calls: FaultyCalls(.create, .ioError, times: 0, slice: slice))
        #expect(try SandboxListing.bytes(directory.appending("file")) == content)
    }

    @Test func aDeviceThatTakesNothingIsAnError() throws {
        try directory.write("old", to: "file")
        let error = #expect(throws: DurableFileError.self) {
            try DurableFile.write(
                [1], to: "file", in: descriptor, calls: FaultyCalls(.create, .ioError, times: 0, slice: 0))
        }
        #expect(error?.stage == .write)
        #expect(try directory.read("file") == "old")
    }

    @Test func aTakenTemporaryNameIsNotUsed() throws {
        let calls = FaultyCalls(.create, .fileExists, times: 2)
        try DurableFile.write([1], to: "file", in: descriptor, calls: calls)
        #expect(calls.calls.filter { $0 == .create }.count == 3)
        let error = #expect(throws: DurableFileError.self) {
            try DurableFile.write([1], to: "file", in: descriptor, calls: FaultyCalls(.create, .fileExists))
        }
        #expect(error?.cause == .fileExists)
    }

    @Test(arguments: [
        "", ".", "..", "a/b", "/a", "a\0b", ".cleat-write-1", String(repeating: "n", count: 256),
    ])
    func namesThatAreNotPlainAreRefused(name: String) throws {
        let error = #expect(throws: DurableFileError.self) { try DurableFile.write([1], to: name, in: descriptor) }
        #expect(error?.stage == .name)
        #expect(try names().isEmpty)
    }

    @Test func aLinkIsReplacedAndNotFollowed() throws {
        try directory.write("precious", to: "target")
        try SandboxListing.makeLink(directory.appending("file"), to: "target")
        try DurableFile.write(Array("new".utf8), to: "file", in: descriptor)
        #expect(try directory.read("target") == "precious")
        #expect(try directory.read("file") == "new")
    }

    @Test func aDirectoryIsNotReplaced() throws {
        try SandboxListing.makeDirectory(directory.appending("file"))
        let error = #expect(throws: DurableFileError.self) { try DurableFile.write([1], to: "file", in: descriptor) }
        #expect(error?.stage == .rename)
        #expect(try names() == ["file"])
    }

    @Test func leftoversAreRemovedAndNothingElse() throws {
        for name in [".cleat-write-1", ".cleat-write-ffff", "file", ".cleat", "x.cleat-write-1"] {
            try directory.write("", to: name)
        }
        #expect(try DurableFile.sweep(in: descriptor) == 2)
        #expect(try names() == [".cleat", "file", "x.cleat-write-1"])
        #expect(try DurableFile.sweep(in: descriptor) == 0)
    }
}
