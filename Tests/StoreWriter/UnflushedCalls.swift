import CleatSandbox
import SystemPackage

/// Makes the calls of the facade but those that flush: what a careless program does.
struct UnflushedCalls: ManagedFileCalls {
    private let system = SystemFileCalls()

    func flush(_ file: FileDescriptor) throws(Errno) {}

    func flushDirectory(_ directory: FileDescriptor) throws(Errno) {}

    func writeBack(_ file: FileDescriptor, from: Int64, to: Int64, waitingUntil: Int64) throws(Errno) {}

    func create(_ name: String, in directory: FileDescriptor) throws(Errno) -> FileDescriptor {
        try system.create(name, in: directory)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(Errno) -> Int {
        try unsafe system.write(bytes, to: file)
    }

    func setOwner(_ owner: FileOwner, of file: FileDescriptor) throws(Errno) {
        try system.setOwner(owner, of: file)
    }

    func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
        try system.setPermissions(permissions, of: file)
    }

    func close(_ file: FileDescriptor) throws(Errno) { try system.close(file) }

    func rename(_ name: String, to other: String, in directory: FileDescriptor) throws(Errno) {
        try system.rename(name, to: other, in: directory)
    }

    func remove(_ name: String, in directory: FileDescriptor) throws(Errno) {
        try system.remove(name, in: directory)
    }

    func open(
        _ path: String, beneath directory: FileDescriptor, for purpose: OpenPurpose
    ) throws(Errno) -> FileDescriptor {
        try system.open(path, beneath: directory, for: purpose)
    }

    func open(
        _ name: FileName, in directory: FileDescriptor, for purpose: OpenPurpose
    ) throws(Errno) -> FileDescriptor {
        try system.open(name, in: directory, for: purpose)
    }

    func reopen(_ file: FileDescriptor, for purpose: OpenPurpose) throws(Errno) -> FileDescriptor {
        try system.reopen(file, for: purpose)
    }

    func setPermissions(_ permissions: FilePermissions, ofInspected file: FileDescriptor) throws(Errno) {
        try system.setPermissions(permissions, ofInspected: file)
    }

    func path(of file: FileDescriptor) throws(Errno) -> String { try system.path(of: file) }

    func attributes(of file: FileDescriptor) throws(Errno) -> FileAttributes { try system.attributes(of: file) }

    func attributes(of name: FileName, in directory: FileDescriptor) throws(Errno) -> FileAttributes {
        try system.attributes(of: name, in: directory)
    }

    func checkAccess(to name: FileName, in directory: FileDescriptor, writing: Bool) throws(Errno) {
        try system.checkAccess(to: name, in: directory, writing: writing)
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: FileDescriptor, at offset: Int64
    ) throws(Errno) -> Int {
        try unsafe system.read(into: buffer, from: file, at: offset)
    }

    func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) { try system.truncate(file, to: size) }

    func rename(
        _ name: FileName, in directory: FileDescriptor, to other: FileName, in target: FileDescriptor, exclusive: Bool
    ) throws(Errno) {
        try system.rename(name, in: directory, to: other, in: target, exclusive: exclusive)
    }

    func makeDirectory(_ name: FileName, in directory: FileDescriptor, permissions: FilePermissions) throws(Errno) {
        try system.makeDirectory(name, in: directory, permissions: permissions)
    }

    func removeDirectory(_ name: FileName, in directory: FileDescriptor) throws(Errno) {
        try system.removeDirectory(name, in: directory)
    }

    func removeFile(_ name: FileName, in directory: FileDescriptor) throws(Errno) {
        try system.removeFile(name, in: directory)
    }

    func names(in directory: FileDescriptor, _ each: (FileName) -> Bool) throws(Errno) {
        try system.names(in: directory, each)
    }

    func clone(_ file: FileDescriptor, to other: FileDescriptor) throws(Errno) { try system.clone(file, to: other) }

    func copy(_ file: FileDescriptor, at offset: Int64, to other: FileDescriptor, count: Int) throws(Errno) -> Int {
        try system.copy(file, at: offset, to: other, count: count)
    }

    func space(on file: FileDescriptor) throws(Errno) -> FileSystemSpace { try system.space(on: file) }

    func open(directory path: String, inRoot root: FileDescriptor) throws(Errno) -> FileDescriptor {
        try system.open(directory: path, inRoot: root)
    }

    func readLink(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> String {
        try system.readLink(name, in: directory)
    }

    func makeLink(to target: String, _ name: String, in directory: FileDescriptor) throws(Errno) {
        try system.makeLink(to: target, name, in: directory)
    }

    func setOwner(_ owner: FileOwner, ofLink name: String, in directory: FileDescriptor) throws(Errno) {
        try system.setOwner(owner, ofLink: name, in: directory)
    }

    func isMountPoint(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> Bool {
        try system.isMountPoint(name, in: directory)
    }

    func attributeNames(of file: FileDescriptor) throws(Errno) -> [FileName] { try system.attributeNames(of: file) }

    func attribute(_ name: FileName, of file: FileDescriptor) throws(Errno) -> [UInt8] {
        try system.attribute(name, of: file)
    }

    func setAttribute(_ attribute: ExtendedAttribute, of file: FileDescriptor) throws(Errno) {
        try system.setAttribute(attribute, of: file)
    }

    func removeAttribute(_ name: FileName, of file: FileDescriptor) throws(Errno) {
        try system.removeAttribute(name, of: file)
    }
}
