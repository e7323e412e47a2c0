import CleatSandbox
import Synchronization
import SystemPackage

/// Names a call of the facade, for a test that makes it fail.
enum FileCall: String, CaseIterable {
    // Those that change nothing.
    case openBeneath, openName, reopen, attributes, attributesOfName, checkAccess, read, names, space
    // Those that change files.
    case create, write, flush, setOwner, setPermissions, close, rename, flushDirectory, remove
    case writeBack, truncate, move, makeDirectory, removeDirectory, removeFile, clone, copy

    var changes: Bool {
        switch self {
        case .openBeneath, .openName, .reopen, .attributes, .attributesOfName, .checkAccess, .read, .names, .space,
            .close:
            false
        default: true
        }
    }
}

/// Says what becomes of one call.
enum CallFate {
    case works
    /// Fails, and does nothing.
    case fails(Errno)
    /// Fails after it has done its work: what a caller takes for not done is.
    case failsLate(Errno)
}

/// Makes the facade's calls for real, but asks before each what shall become of it.
final class FaultyFileCalls: SandboxCalls {
    private struct State {
        var fate: @Sendable (FileCall, Int) -> CallFate = { _, _ in .works }
        var count = 0
        var made: [FileCall] = []
        var isDead = false
        var slice = Int.max
        var flushes = true
        var sharesBlocks = false
    }

    private let real = SystemFileCalls()
    private let state = Mutex(State())

    init() {}

    /// From the next call on, decides by the call's name and its number, from 0.
    func decide(_ fate: @escaping @Sendable (FileCall, Int) -> CallFate) {
        state.withLock {
            $0.fate = fate
            $0.count = 0
            $0.made = []
        }
    }

    func work() { decide { _, _ in .works } }

    /// The process is gone: nothing works any more, nothing is taken away.
    func die() { state.withLock { $0.isDead = true } }

    /// The most bytes that one call reads, writes or copies.
    var slice: Int {
        get { state.withLock { $0.slice } }
        set { state.withLock { $0.slice = newValue } }
    }

    /// Whether flushes reach the disk; a test that is not about power cuts is faster without.
    var flushes: Bool {
        get { state.withLock { $0.flushes } }
        set { state.withLock { $0.flushes = newValue } }
    }

    /// Whether it stands in for a file system that can share the blocks of files: none is at hand, so it copies.
    var sharesBlocks: Bool {
        get { state.withLock { $0.sharesBlocks } }
        set { state.withLock { $0.sharesBlocks = newValue } }
    }

    var made: [FileCall] { state.withLock { $0.made } }

    private func pass<Value>(_ call: FileCall, _ body: () throws(Errno) -> Value) throws(Errno) -> Value {
        let (fate, number, isDead) = state.withLock { state in
            defer { state.count += 1 }
            state.made.append(call)
            return (state.fate, state.count, state.isDead)
        }
        if isDead {
            // Descriptors go with the process.
            if call == .close { return try body() }
            throw .ioError
        }
        switch fate(call, number) {
        case .works: return try body()
        case .fails(let error):
            // A descriptor that is not closed would be lost to the test's process.
            if call == .close { _ = try body() }
            throw error
        case .failsLate(let error):
            _ = try body()
            throw error
        }
    }

    func create(_ name: String, in directory: FileDescriptor) throws(Errno) -> FileDescriptor {
        try opening(.create) { () throws(Errno) in try real.create(name, in: directory) }
    }

    /// A descriptor that the caller never sees is closed here.
    private func opening(
        _ call: FileCall, _ body: () throws(Errno) -> FileDescriptor
    ) throws(Errno) -> FileDescriptor {
        var opened: FileDescriptor?
        do throws(Errno) {
            return try pass(call) { () throws(Errno) in
                let file = try body()
                opened = file
                return file
            }
        } catch {
            if let opened { try? real.close(opened) }
            throw error
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(Errno) -> Int {
        let slice = slice
        return try pass(.write) { () throws(Errno) in
            try unsafe real.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(slice)), to: file)
        }
    }

    func flush(_ file: FileDescriptor) throws(Errno) {
        let flushes = flushes
        try pass(.flush) { () throws(Errno) in if flushes { try real.flush(file) } }
    }

    func setOwner(_ owner: FileOwner, of file: FileDescriptor) throws(Errno) {
        try pass(.setOwner) { () throws(Errno) in try real.setOwner(owner, of: file) }
    }

    func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
        try pass(.setPermissions) { () throws(Errno) in try real.setPermissions(permissions, of: file) }
    }

    func close(_ file: FileDescriptor) throws(Errno) {
        try pass(.close) { () throws(Errno) in try real.close(file) }
    }

    func rename(_ name: String, to other: String, in directory: FileDescriptor) throws(Errno) {
        try pass(.rename) { () throws(Errno) in try real.rename(name, to: other, in: directory) }
    }

    func flushDirectory(_ directory: FileDescriptor) throws(Errno) {
        let flushes = flushes
        try pass(.flushDirectory) { () throws(Errno) in if flushes { try real.flushDirectory(directory) } }
    }

    func remove(_ name: String, in directory: FileDescriptor) throws(Errno) {
        try pass(.remove) { () throws(Errno) in try real.remove(name, in: directory) }
    }

    func open(
        _ path: String, beneath directory: FileDescriptor, for purpose: OpenPurpose
    ) throws(Errno) -> FileDescriptor {
        try opening(.openBeneath) { () throws(Errno) in try real.open(path, beneath: directory, for: purpose) }
    }

    func open(
        _ name: FileName, in directory: FileDescriptor, for purpose: OpenPurpose
    ) throws(Errno) -> FileDescriptor {
        try opening(.openName) { () throws(Errno) in try real.open(name, in: directory, for: purpose) }
    }

    func reopen(_ file: FileDescriptor, for purpose: OpenPurpose) throws(Errno) -> FileDescriptor {
        try opening(.reopen) { () throws(Errno) in try real.reopen(file, for: purpose) }
    }

    func attributes(of file: FileDescriptor) throws(Errno) -> FileAttributes {
        try pass(.attributes) { () throws(Errno) in try real.attributes(of: file) }
    }

    func attributes(of name: FileName, in directory: FileDescriptor) throws(Errno) -> FileAttributes {
        try pass(.attributesOfName) { () throws(Errno) in try real.attributes(of: name, in: directory) }
    }

    func checkAccess(to name: FileName, in directory: FileDescriptor, writing: Bool) throws(Errno) {
        try pass(.checkAccess) { () throws(Errno) in
            try real.checkAccess(to: name, in: directory, writing: writing)
        }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: FileDescriptor, at offset: Int64
    ) throws(Errno) -> Int {
        let slice = slice
        return try pass(.read) { () throws(Errno) in
            try unsafe real.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(slice)), from: file, at: offset)
        }
    }

    func writeBack(_ file: FileDescriptor, from: Int64, to: Int64, waitingUntil: Int64) throws(Errno) {
        try pass(.writeBack) { () throws(Errno) in
            try real.writeBack(file, from: from, to: to, waitingUntil: waitingUntil)
        }
    }

    func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
        try pass(.truncate) { () throws(Errno) in try real.truncate(file, to: size) }
    }

    func rename(
        _ name: FileName, in directory: FileDescriptor, to other: FileName, in target: FileDescriptor, exclusive: Bool
    ) throws(Errno) {
        try pass(.move) { () throws(Errno) in
            try real.rename(name, in: directory, to: other, in: target, exclusive: exclusive)
        }
    }

    func makeDirectory(
        _ name: FileName, in directory: FileDescriptor, permissions: FilePermissions
    ) throws(Errno) {
        try pass(.makeDirectory) { () throws(Errno) in
            try real.makeDirectory(name, in: directory, permissions: permissions)
        }
    }

    func removeDirectory(_ name: FileName, in directory: FileDescriptor) throws(Errno) {
        try pass(.removeDirectory) { () throws(Errno) in try real.removeDirectory(name, in: directory) }
    }

    func removeFile(_ name: FileName, in directory: FileDescriptor) throws(Errno) {
        try pass(.removeFile) { () throws(Errno) in try real.removeFile(name, in: directory) }
    }

    func names(in directory: FileDescriptor, _ each: (FileName) -> Bool) throws(Errno) {
        try pass(.names) { () throws(Errno) in try real.names(in: directory, each) }
    }

    func clone(_ file: FileDescriptor, to other: FileDescriptor) throws(Errno) {
        let sharesBlocks = sharesBlocks
        try pass(.clone) { () throws(Errno) in
            guard sharesBlocks else { return try real.clone(file, to: other) }
            let size = try real.attributes(of: file).size
            guard try real.copy(file, at: 0, to: other, count: Int(size)) == Int(size) else { throw Errno.ioError }
        }
    }

    func copy(_ file: FileDescriptor, at offset: Int64, to other: FileDescriptor, count: Int) throws(Errno) -> Int {
        let slice = slice
        return try pass(.copy) { () throws(Errno) in
            try real.copy(file, at: offset, to: other, count: min(count, slice))
        }
    }

    func space(on file: FileDescriptor) throws(Errno) -> FileSystemSpace {
        try pass(.space) { () throws(Errno) in try real.space(on: file) }
    }
}
