/// The hooks that led to an event, the latest last, written as `hook:a hook:b`.
///
/// A run receives its own cause as `CLEAT_CAUSE`. The events of its changes carry the cause on, so that no hook
/// triggers itself, neither directly nor through other hooks.
package struct HookCause: Sendable, Hashable, CustomStringConvertible {
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
