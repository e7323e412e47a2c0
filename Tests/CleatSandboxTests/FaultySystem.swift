import CleatSandbox
import Synchronization
import SystemPackage

/// Makes the calls of the facade for real, but for the one that a test chooses.
final class FaultySystem: ManagedFileCalls {
    enum Call: String, CaseIterable {
        case create, write, flush, setOwner, setPermissions, close, rename, flushDirectory, remove
        case openBeneath, openName, reopen, attributesOfFile, attributesOfName, checkAccess, read, writeBack, truncate
        case renameAcross, makeDirectory, removeDirectory, removeFile, names, clone, copy, space
        case openInRoot, readLink, isMountPoint
    }

    /// Says when calls fail.
    enum Fault {
        case never
        /// The call of that number, from 0, and no other.
        case once(at: Int, Errno)
        /// The call of that number and all that follow: as if the process had ended there.
        case from(Int, Errno)
        /// Every call of one kind.
        case every(Call, Errno)
    }

    private struct State {
        var fault = Fault.never
        var calls: [Call] = []
        var failed = 0
    }

    private let real = SystemFileCalls()
    private let state = Mutex(State())

    init(_ fault: Fault = .never) { set(fault) }

    /// Begins to count anew.
    func set(_ fault: Fault) {
        state.withLock { $0 = State(fault: fault) }
    }

    /// The calls that were made, the failed ones included.
    var calls: [Call] { state.withLock { $0.calls } }
    /// How many calls were made to fail.
    var failed: Int { state.withLock { $0.failed } }

    private func pass(_ call: Call) throws(Errno) {
        let failure = state.withLock { state -> Errno? in
            let number = state.calls.count
            state.calls.append(call)
            let failure: Errno? =
                switch state.fault {
                case .never: nil
                case .once(let at, let error): number == at ? error : nil
                case .from(let at, let error): number >= at ? error : nil
                case .every(let kind, let error): call == kind ? error : nil
                }
            if failure != nil { state.failed += 1 }
            return failure
        }
        if let failure { throw failure }
    }

    func create(_ name: String, in directory: FileDescriptor) throws(Errno) -> FileDescriptor {
        try pass(.create)
        return try real.create(name, in: directory)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(Errno) -> Int {
        // Half of what is to be written is there when a write fails, as on a disk that becomes full; an interrupted one
        // has written nothing.
        do throws(Errno) {
            try pass(.write)
        } catch {
            let half = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2))
            if error != .interrupted { _ = try? unsafe real.write(half, to: file) }
            throw error
        }
        return try unsafe real.write(bytes, to: file)
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
        try pass(.remove)
        try real.remove(name, in: directory)
    }

    func open(_ path: String, beneath directory: FileDescriptor, for purpose: OpenPurpose) throws(Errno)
        -> FileDescriptor
    {
        try pass(.openBeneath)
        return try real.open(path, beneath: directory, for: purpose)
    }

    func open(_ name: FileName, in directory: FileDescriptor, for purpose: OpenPurpose) throws(Errno)
        -> FileDescriptor
    {
        try pass(.openName)
        return try real.open(name, in: directory, for: purpose)
    }

    func reopen(_ file: FileDescriptor, for purpose: OpenPurpose) throws(Errno) -> FileDescriptor {
        try pass(.reopen)
        return try real.reopen(file, for: purpose)
    }

    func attributes(of file: FileDescriptor) throws(Errno) -> FileAttributes {
        try pass(.attributesOfFile)
        return try real.attributes(of: file)
    }

    func attributes(of name: FileName, in directory: FileDescriptor) throws(Errno) -> FileAttributes {
        try pass(.attributesOfName)
        return try real.attributes(of: name, in: directory)
    }

    func checkAccess(to name: FileName, in directory: FileDescriptor, writing: Bool) throws(Errno) {
        try pass(.checkAccess)
        try real.checkAccess(to: name, in: directory, writing: writing)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, from file: FileDescriptor, at offset: Int64) throws(Errno)
        -> Int
    {
        try pass(.read)
        return try unsafe real.read(into: buffer, from: file, at: offset)
    }

    func writeBack(_ file: FileDescriptor, from: Int64, to: Int64, waitingUntil: Int64) throws(Errno) {
        try pass(.writeBack)
        try real.writeBack(file, from: from, to: to, waitingUntil: waitingUntil)
    }

    func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
        try pass(.truncate)
        try real.truncate(file, to: size)
    }

    func rename(
        _ name: FileName, in directory: FileDescriptor, to other: FileName, in target: FileDescriptor, exclusive: Bool
    ) throws(Errno) {
        try pass(.renameAcross)
        try real.rename(name, in: directory, to: other, in: target, exclusive: exclusive)
    }

    func makeDirectory(_ name: FileName, in directory: FileDescriptor, permissions: FilePermissions) throws(Errno) {
        try pass(.makeDirectory)
        try real.makeDirectory(name, in: directory, permissions: permissions)
    }

    func removeDirectory(_ name: FileName, in directory: FileDescriptor) throws(Errno) {
        try pass(.removeDirectory)
        try real.removeDirectory(name, in: directory)
    }

    func removeFile(_ name: FileName, in directory: FileDescriptor) throws(Errno) {
        try pass(.removeFile)
        try real.removeFile(name, in: directory)
    }

    func names(in directory: FileDescriptor, _ each: (FileName) -> Bool) throws(Errno) {
        try pass(.names)
        try real.names(in: directory, each)
    }

    func clone(_ file: FileDescriptor, to other: FileDescriptor) throws(Errno) {
        try pass(.clone)
        try real.clone(file, to: other)
    }

    func copy(_ file: FileDescriptor, at offset: Int64, to other: FileDescriptor, count: Int) throws(Errno) -> Int {
        try pass(.copy)
        return try real.copy(file, at: offset, to: other, count: count)
    }

    func space(on file: FileDescriptor) throws(Errno) -> FileSystemSpace {
        try pass(.space)
        return try real.space(on: file)
    }

    func open(directory path: String, inRoot root: FileDescriptor) throws(Errno) -> FileDescriptor {
        try pass(.openInRoot)
        return try real.open(directory: path, inRoot: root)
    }

    func readLink(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> String {
        try pass(.readLink)
        return try real.readLink(name, in: directory)
    }

    func isMountPoint(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> Bool {
        try pass(.isMountPoint)
        return try real.isMountPoint(name, in: directory)
    }
}
