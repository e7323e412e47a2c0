internal import CleatIO
internal import SystemPackage

/// The hooks that led to an event, the latest last, written as `hook:a hook:b`.
///
/// A run receives its own cause as `CLEAT_CAUSE`. The events of its changes carry the cause on, so that no hook
/// triggers itself, neither directly nor through other hooks.
package struct HookCause: Sendable, Equatable, CustomStringConvertible {
    /// The largest number of hooks in a chain; a chain of this length triggers no further hook.
    package static let limit = 16

    private static let prefix = "hook:"

    /// The names of the hooks, the latest last.
    package private(set) var hooks: [String]

    /// Reads the cause of an event; words that name no hook are skipped, and so are hooks beyond ``limit``.
    package init(_ text: String?) {
        hooks = []
        guard let text else { return }
        for word in text.utf8.prefix(HookCause.limit * (HookLimits.nameBytes + 8)).split(separator: UInt8(ascii: " ")) {
            let word = String(decoding: word, as: UTF8.self)
            if word.hasPrefix(HookCause.prefix), hooks.count < HookCause.limit {
                hooks.append(String(word.dropFirst(HookCause.prefix.count)))
            }
        }
    }

    package var description: String {
        hooks.map { HookCause.prefix + $0 }.joined(separator: " ")
    }

    /// Returns true if a run of the hook would close a loop, or the chain already has ``limit`` hooks.
    package func forbids(_ hook: String) -> Bool {
        hooks.count >= HookCause.limit || hooks.contains(hook)
    }

    /// Returns the cause of the hook's own changes.
    package func adding(_ hook: String) -> HookCause {
        var cause = self
        cause.hooks.append(hook)
        return cause
    }
}

extension HookCause {
    /// The largest environment that is read, in bytes.
    private static let environmentLimit = 256 * 1024

    /// Returns the cause that a process inherited, if it belongs to a run of a hook of this service.
    ///
    /// Every run is a session whose leader is a child of the service. So the cause is read from the leader's
    /// environment, which no other process can have set. `/proc/PID/stat`, `/proc/PID/environ`
    package static func ofProcess(_ pid: Int32) -> HookCause? {
        guard pid > 1, let leader = session(of: pid)?.session, leader > 1, let status = session(of: leader),
            status.parent == ProcessSelf.pid,
            let environment = try? SmallFile.read(FilePath("/proc/\(leader)/environ"), upTo: environmentLimit)
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
        guard let text = try? SmallFile.read(FilePath("/proc/\(pid)/stat"), upTo: 4096),
            let end = text.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 3, let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
            let session = Int32(String(decoding: fields[3], as: UTF8.self))
        else { return nil }
        return (parent, session)
    }
}
