import CleatAPI
import CleatSettings

extension SettingsEngine {
    /// Removes the paths that no schema knows any more from differences that restore earlier settings: their values
    /// cannot be validated, so they stay as they are.
    ///
    /// - Parameter differences: The differences that restore earlier settings, under the present names.
    /// - Returns: The remaining differences, and the removed paths.
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
    /// The maximum number of paths that are named.
    private static let namedPaths = 16

    /// Returns the reply with a note that names the unchanged paths.
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
