/// Pins a path, and all below it, to a layer: values of higher layers do not count there.
package struct SettingLock: Sendable, Hashable {
    /// The path; nil for the whole tree.
    package var path: SettingPath?
    /// The highest layer that counts.
    package var layer: ResolvedSetting.Origin
    /// The file that declares the lock.
    package var file: String
    /// The reason as given in the file; nil if there is none.
    package var reason: String?

    /// Pins a path.
    package init(path: SettingPath?, layer: ResolvedSetting.Origin, file: String, reason: String? = nil) {
        self.path = path
        self.layer = layer
        self.file = file
        self.reason = reason
    }
}

extension ResolvedSetting.Origin {
    /// The name of the layer in messages.
    package var words: String {
        switch self {
        case .schemaDefault: "the schema's default"
        case .vendor: "the vendor's defaults"
        case .factory: "the factory data"
        case .committed: "the committed settings"
        case .volatile: "the volatile settings"
        }
    }
}

extension SettingLock {
    /// Returns the problem of a stored value in a higher layer: it does not count.
    func ignored(at path: SettingPath) -> SettingProblem {
        SettingProblem(
            path: path, value: nil, code: .locked, reason: "is pinned to \(layer.words) by \(file)\(because)")
    }

    /// Returns the problem of a change in a higher layer: it is refused.
    func denied(at path: SettingPath) -> SettingProblem {
        SettingProblem(
            path: path, value: nil, code: .locked,
            reason: "is locked: \(file) pins it to \(layer.words)\(because); change that file to unlock it")
    }

    private var because: String { reason.map { " (\(Excerpt.of($0)))" } ?? "" }
}
