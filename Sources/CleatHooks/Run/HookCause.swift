/// Names the hooks that an event goes back to, the latest last, as `hook:a hook:b`.
///
/// A run gets its own cause as `CLEAT_CAUSE`; what it changes carries the cause on to the next events, so that no hook
/// sets itself off, neither directly nor by way of others.
package struct HookCause: Sendable, Hashable, CustomStringConvertible {
    /// The longest chain; what goes back further is cut off.
    package static let limit = 16

    private static let prefix = "hook:"

    /// The names of the hooks, the latest last.
    package private(set) var hooks: [String]

    /// Reads the cause of an event; words that name no hook are skipped.
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

    /// Tells whether a run of the hook would close a loop, or make the chain too long.
    package func forbids(_ hook: String) -> Bool {
        hooks.count >= HookCause.limit || hooks.contains(hook)
    }

    /// Returns the cause of what the hook will do.
    package func adding(_ hook: String) -> HookCause {
        var cause = self
        cause.hooks.append(hook)
        return cause
    }
}
