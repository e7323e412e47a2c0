/// Finds the lock of a path: of several the one with the longest path, of those with the same path the last.
package struct LockTable: Sendable {
    private var locks: [SettingPath: SettingLock] = [:]
    private var root: SettingLock?

    /// True if there are no locks.
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

    /// The lock of a path; nil if there is none.
    package subscript(path: SettingPath) -> SettingLock? {
        if isEmpty { return nil }
        var place: SettingPath? = path
        while let path = place {
            if let lock = locks[path] { return lock }
            place = path.parent
        }
        return root
    }

    /// Returns the highest layer that counts at a path.
    func ceiling(at path: SettingPath) -> ResolvedSetting.Origin {
        self[path]?.layer ?? .volatile
    }

    /// Returns true if there are other locks below a path.
    func splits(_ path: SettingPath?) -> Bool {
        guard !locks.isEmpty else { return false }
        guard let path else { return true }
        return locks.keys.contains { $0.isBelow(path) }
    }
}
