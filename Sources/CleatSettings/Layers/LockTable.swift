/// Finds the lock that holds at a path: of several the one with the longest path, of those with one path the last.
package struct LockTable: Sendable {
    private var locks: [SettingPath: SettingLock] = [:]
    private var root: SettingLock?

    /// Whether nothing is pinned.
    let isEmpty: Bool

    init(_ locks: [SettingLock]) {
        isEmpty = locks.isEmpty
        for lock in locks {
            if let path = lock.path {
                self.locks[path] = lock
            } else {
                root = lock
            }
        }
    }

    /// The lock that holds at a path; nil where it is free.
    package subscript(path: SettingPath) -> SettingLock? {
        if isEmpty { return nil }
        var place: SettingPath? = path
        while let path = place {
            if let lock = locks[path] { return lock }
            place = path.parent
        }
        return root
    }

    /// The highest layer that counts at a path.
    func ceiling(at path: SettingPath) -> ResolvedSetting.Origin {
        self[path]?.layer ?? .volatile
    }

    /// Whether other locks than the one at a path hold somewhere below it.
    func splits(_ path: SettingPath?) -> Bool {
        guard !locks.isEmpty else { return false }
        guard let path else { return true }
        return locks.keys.contains { $0.isBelow(path) }
    }
}
