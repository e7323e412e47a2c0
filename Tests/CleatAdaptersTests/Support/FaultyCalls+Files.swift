import CleatSandbox
import SystemPackage

/// The calls for files; nothing is flushed, for no test here is about power cuts.
extension FaultyCalls: ManagedFileCalls {
    func create(_ name: String, in directory: FileDescriptor) throws(Errno) -> FileDescriptor {
        try pass(writes: true) { () throws(Errno) in try real.create(name, in: directory) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(Errno) -> Int {
        try pass(writes: true) { () throws(Errno) in try unsafe real.write(bytes, to: file) }
    }

    func flush(_ file: FileDescriptor) throws(Errno) { try pass("flush") { () throws(Errno) in } }

    func setOwner(_ owner: FileOwner, of file: FileDescriptor) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try real.setOwner(owner, of: file) }
    }

    func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try real.setPermissions(permissions, of: file) }
    }

    func close(_ file: FileDescriptor) throws(Errno) {
        // A descriptor that is not closed would be lost to the test's process.
        try real.close(file)
        try pass { () throws(Errno) in }
    }

    func rename(_ name: String, to other: String, in directory: FileDescriptor) throws(Errno) {
        try pass("rename", writes: true) { () throws(Errno) in try real.rename(name, to: other, in: directory) }
    }

    func flushDirectory(_ directory: FileDescriptor) throws(Errno) {
        try pass("flush directory") { () throws(Errno) in }
    }

    func remove(_ name: String, in directory: FileDescriptor) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try real.remove(name, in: directory) }
    }

    func open(
        _ path: String, beneath directory: FileDescriptor, for purpose: OpenPurpose
    ) throws(Errno) -> FileDescriptor {
        try pass { () throws(Errno) in try real.open(path, beneath: directory, for: purpose) }
    }

    func open(
        _ name: FileName, in directory: FileDescriptor, for purpose: OpenPurpose
    ) throws(Errno) -> FileDescriptor {
        try pass { () throws(Errno) in try real.open(name, in: directory, for: purpose) }
    }

    func reopen(_ file: FileDescriptor, for purpose: OpenPurpose) throws(Errno) -> FileDescriptor {
        try pass { () throws(Errno) in try real.reopen(file, for: purpose) }
    }

    func setPermissions(_ permissions: FilePermissions, ofInspected file: FileDescriptor) throws(Errno) {
        try pass { () throws(Errno) in try real.setPermissions(permissions, ofInspected: file) }
    }

    func path(of file: FileDescriptor) throws(Errno) -> String {
        try pass { () throws(Errno) in try real.path(of: file) }
    }

    func attributes(of file: FileDescriptor) throws(Errno) -> FileAttributes {
        try pass { () throws(Errno) in try real.attributes(of: file) }
    }

    func attributes(of name: FileName, in directory: FileDescriptor) throws(Errno) -> FileAttributes {
        try pass { () throws(Errno) in try real.attributes(of: name, in: directory) }
    }

    func checkAccess(to name: FileName, in directory: FileDescriptor, writing: Bool) throws(Errno) {
        try pass { () throws(Errno) in try real.checkAccess(to: name, in: directory, writing: writing) }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: FileDescriptor, at offset: Int64
    ) throws(Errno) -> Int {
        try pass { () throws(Errno) in try unsafe real.read(into: buffer, from: file, at: offset) }
    }

    func writeBack(_ file: FileDescriptor, from: Int64, to: Int64, waitingUntil: Int64) throws(Errno) {
        try pass { () throws(Errno) in try real.writeBack(file, from: from, to: to, waitingUntil: waitingUntil) }
    }

    func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try real.truncate(file, to: size) }
    }

    func rename(
        _ name: FileName, in directory: FileDescriptor, to other: FileName, in target: FileDescriptor, exclusive: Bool
    ) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in
            try real.rename(name, in: directory, to: other, in: target, exclusive: exclusive)
        }
    }

    func makeDirectory(
        _ name: FileName, in directory: FileDescriptor, permissions: FilePermissions
    ) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in
            try real.makeDirectory(name, in: directory, permissions: permissions)
        }
    }

    func removeDirectory(_ name: FileName, in directory: FileDescriptor) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try real.removeDirectory(name, in: directory) }
    }

    func removeFile(_ name: FileName, in directory: FileDescriptor) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try real.removeFile(name, in: directory) }
    }

    func names(in directory: FileDescriptor, _ each: (FileName) -> Bool) throws(Errno) {
        try pass { () throws(Errno) in try real.names(in: directory, each) }
    }

    func clone(_ file: FileDescriptor, to other: FileDescriptor) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try real.clone(file, to: other) }
    }

    func copy(_ file: FileDescriptor, at offset: Int64, to other: FileDescriptor, count: Int) throws(Errno) -> Int {
        try pass(writes: true) { () throws(Errno) in try real.copy(file, at: offset, to: other, count: count) }
    }

    func space(on file: FileDescriptor) throws(Errno) -> FileSystemSpace {
        try pass { () throws(Errno) in try real.space(on: file) }
    }

    func open(directory path: String, inRoot root: FileDescriptor) throws(Errno) -> FileDescriptor {
        try pass { () throws(Errno) in try real.open(directory: path, inRoot: root) }
    }

    func readLink(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> String {
        try pass { () throws(Errno) in try real.readLink(name, in: directory) }
    }

    func makeLink(to target: String, _ name: String, in directory: FileDescriptor) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try real.makeLink(to: target, name, in: directory) }
    }

    func setOwner(_ owner: FileOwner, ofLink name: String, in directory: FileDescriptor) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try real.setOwner(owner, ofLink: name, in: directory) }
    }

    func isMountPoint(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> Bool {
        try pass { () throws(Errno) in try real.isMountPoint(name, in: directory) }
    }

    func attributeNames(of file: FileDescriptor) throws(Errno) -> [FileName] {
        try pass { () throws(Errno) in try real.attributeNames(of: file) }
    }

    func attribute(_ name: FileName, of file: FileDescriptor) throws(Errno) -> [UInt8] {
        try pass { () throws(Errno) in try real.attribute(name, of: file) }
    }

    func setAttribute(_ attribute: ExtendedAttribute, of file: FileDescriptor) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try real.setAttribute(attribute, of: file) }
    }

    func removeAttribute(_ name: FileName, of file: FileDescriptor) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try real.removeAttribute(name, of: file) }
    }
}
