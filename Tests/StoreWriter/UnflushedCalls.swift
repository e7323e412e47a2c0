import CleatSandbox
import SystemPackage

/// Makes the calls of a durable write but the two flushes: what a careless program does.
struct UnflushedCalls: DurableFileCalls {
    private let system = SystemFileCalls()

    func create(_ name: String, in directory: FileDescriptor) throws(Errno) -> FileDescriptor {
        try system.create(name, in: directory)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: FileDescriptor) throws(Errno) -> Int {
        try unsafe system.write(bytes, to: file)
    }

    func flush(_ file: FileDescriptor) throws(Errno) {}

    func setOwner(_ owner: FileOwner, of file: FileDescriptor) throws(Errno) {
        try system.setOwner(owner, of: file)
    }

    func setPermissions(_ permissions: FilePermissions, of file: FileDescriptor) throws(Errno) {
        try system.setPermissions(permissions, of: file)
    }

    func close(_ file: FileDescriptor) throws(Errno) {
        try system.close(file)
    }

    func rename(_ name: String, to other: String, in directory: FileDescriptor) throws(Errno) {
        try system.rename(name, to: other, in: directory)
    }

    func flushDirectory(_ directory: FileDescriptor) throws(Errno) {}

    func remove(_ name: String, in directory: FileDescriptor) throws(Errno) {
        try system.remove(name, in: directory)
    }
}
