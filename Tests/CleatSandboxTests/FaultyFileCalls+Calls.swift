import CleatSandbox
import SystemPackage

extension FaultyFileCalls: ManagedFileCalls {
    func create(_ name: String, in directory: FileDescriptor) throws(Errno) -> FileDescriptor {
        try opening(.create) { () throws(Errno) in try real.create(name, in: directory) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(Errno) -> Int {
        let part = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(slice))
        let half = unsafe UnsafeRawBufferPointer(rebasing: part.prefix(part.count / 2))
        return try pass(.write, half: { () throws(Errno) in _ = try unsafe real.write(half, to: file) }) {
            () throws(Errno) in try unsafe real.write(part, to: file)
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

    func setPermissions(_ permissions: FilePermissions, ofInspected file: FileDescriptor) throws(Errno) {
        try pass(.setPermissions) { () throws(Errno) in try real.setPermissions(permissions, ofInspected: file) }
    }

    func path(of file: FileDescriptor) throws(Errno) -> String {
        try pass(.attributes) { () throws(Errno) in try real.path(of: file) }
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
        let count = min(count, slice)
        return try pass(
            .copy, half: { () throws(Errno) in _ = try real.copy(file, at: offset, to: other, count: count / 2) }
        ) { () throws(Errno) in try real.copy(file, at: offset, to: other, count: count) }
    }

    func space(on file: FileDescriptor) throws(Errno) -> FileSystemSpace {
        try pass(.space) { () throws(Errno) in try real.space(on: file) }
    }

    func open(directory path: String, inRoot root: FileDescriptor) throws(Errno) -> FileDescriptor {
        try opening(.openInRoot) { () throws(Errno) in try real.open(directory: path, inRoot: root) }
    }

    func readLink(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> String {
        try pass(.readLink) { () throws(Errno) in try real.readLink(name, in: directory) }
    }

    func makeLink(to target: String, _ name: String, in directory: FileDescriptor) throws(Errno) {
        try pass(.makeLink) { () throws(Errno) in try real.makeLink(to: target, name, in: directory) }
    }

    func setOwner(_ owner: FileOwner, ofLink name: String, in directory: FileDescriptor) throws(Errno) {
        try pass(.setOwnerOfLink) { () throws(Errno) in try real.setOwner(owner, ofLink: name, in: directory) }
    }

    func isMountPoint(_ name: FileName, in directory: FileDescriptor) throws(Errno) -> Bool {
        try pass(.isMountPoint) { () throws(Errno) in try real.isMountPoint(name, in: directory) }
    }

    func attributeNames(of file: FileDescriptor) throws(Errno) -> [FileName] {
        try pass(.attributeNames) { () throws(Errno) in try real.attributeNames(of: file) }
    }

    func attribute(_ name: FileName, of file: FileDescriptor) throws(Errno) -> [UInt8] {
        try pass(.attribute) { () throws(Errno) in try real.attribute(name, of: file) }
    }

    func setAttribute(_ attribute: ExtendedAttribute, of file: FileDescriptor) throws(Errno) {
        try pass(.setAttribute) { () throws(Errno) in try real.setAttribute(attribute, of: file) }
    }

    func removeAttribute(_ name: FileName, of file: FileDescriptor) throws(Errno) {
        try pass(.removeAttribute) { () throws(Errno) in try real.removeAttribute(name, of: file) }
    }
}
