internal import CleatIO
internal import SystemPackage

extension HookCause {
    /// The largest environment that is read, in bytes.
    private static let environmentLimit = 256 * 1024

    /// Returns the cause that a process inherited, if it belongs to a run of a hook of this service.
    ///
    /// Every run is a session whose leader is a child of the service. So the cause is read from the leader's
    /// environment, which no other process can have set. `/proc/PID/stat`, `/proc/PID/environ`
    package static func ofProcess(_ pid: Int32) -> HookCause? {
        guard pid > 1, let leader = session(of: pid)?.session, leader > 1, let status = session(of: leader),
            status.parent == DirectoryCalls.processID,
            let environment = contents("/proc/\(leader)/environ", limit: environmentLimit)
        else { return nil }
        let prefix = Array("CLEAT_CAUSE=".utf8)
        for variable in environment.split(separator: 0) where variable.starts(with: prefix) {
            let cause = HookCause(String(decoding: variable.dropFirst(prefix.count), as: UTF8.self))
            return cause.hooks.isEmpty ? nil : cause
        }
        return nil
    }

    private static func session(of pid: Int32) -> (parent: Int32, session: Int32)? {
        // The name in parentheses may contain any character, so fields count from its end: state, parent, group,
        // session.
        guard let text = contents("/proc/\(pid)/stat", limit: 4096), let end = text.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 3, let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
            let session = Int32(String(decoding: fields[3], as: UTF8.self))
        else { return nil }
        return (parent, session)
    }

    private static func contents(_ path: String, limit: Int) -> [UInt8]? {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec) else { return nil }
        defer { try? file.close() }
        return try? DirectoryCalls.read(file.rawValue, upTo: limit)
    }
}
