internal import Synchronization

/// The names of users that were looked up before: `passwd` is read again only after it has changed.
final class UserNames: Sendable {
    private struct Known {
        let stamp: FileStamp
        var names: [UInt32: String?] = [:]
    }

    /// The most names that are kept.
    private static let limit = 64

    private let directory: String
    private let now: @Sendable () -> WallTime
    private let known = Mutex<Known?>(nil)

    /// Creates an empty memory.
    ///
    /// - Parameters:
    ///   - directory: The directory of `passwd`.
    ///   - now: A closure that reads the clock.
    init(directory: String, now: @escaping @Sendable () -> WallTime = WallTime.now) {
        (self.directory, self.now) = (directory, now)
    }

    /// Returns a user's name; nil if no user has the ID.
    func name(of uid: UInt32) -> String? {
        // The stamp is that of before the file is read: if it changes meanwhile, the next call reads it again.
        guard let stamp = FileStamp(directory + "/passwd"), stamp.isSettled(at: now().milliseconds) else {
            return UserDatabase.read(uid, directory)
        }
        if let name = known.withLock({ $0?.stamp == stamp ? $0?.names[uid] : nil }) { return name }
        let name = UserDatabase.read(uid, directory)
        known.withLock { known in
            if known?.stamp != stamp || known?.names.count ?? 0 >= Self.limit { known = Known(stamp: stamp) }
            known?.names.updateValue(name, forKey: uid)
        }
        return name
    }

    /// The number of names that are known.
    var count: Int { known.withLock { $0?.names.count ?? 0 } }
}
