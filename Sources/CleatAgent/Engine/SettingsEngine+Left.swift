import CleatAPI
import CleatSettings

extension SettingsEngine {
    /// Takes out of what leads back to earlier settings the paths that no schema knows any more: nobody can say whether
    /// their values are right, or what they are for, so they stay as they are.
    ///
    /// - Parameter differences: What leads back, under the names of today.
    /// - Returns: The rest, and the paths.
    func withoutUnknown(
        _ differences: [SettingDifference]
    ) -> (known: [SettingDifference], left: [SettingPath]) {
        let left = differences.map(\.path).filter { settings.schema.lookup($0) == nil }
        guard !left.isEmpty else { return (differences, []) }
        let unknown = Set(left)
        return (differences.filter { !unknown.contains($0.path) }, left)
    }
}

extension SettingsInterface.Set.Reply {
    /// The most paths that are named.
    private static let namedPaths = 16

    /// The reply, which names the paths that were left as they are.
    func naming(left: [SettingPath]) -> SettingsInterface.Set.Reply {
        guard !left.isEmpty else { return self }
        var names = left.prefix(Self.namedPaths).map(\.text).joined(separator: ", ")
        if left.count > Self.namedPaths { names += " and \(left.count - Self.namedPaths) more" }
        let note = "left as it is, since no schema knows it any more: \(names)"
        var reply = self
        if reply.plan != nil {
            reply.plan?.notes.append(note)
        } else {
            reply.results.append(AdapterResult(adapter: "system", state: .notApplied, message: note))
        }
        return reply
    }
}
