/// Pins a path, and all below it, to a layer: what higher layers hold does not count there.
package struct SettingLock: Sendable, Hashable {
    /// The path; nil is the whole tree.
    package var path: SettingPath?
    /// The highest layer that counts.
    package var layer: ResolvedSetting.Origin
    /// The file that says so.
    package var file: String
    /// Why, in the words of who wrote the file.
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
    /// What people call the layer.
    package var words: String {
        switch self {
        case .schemaDefault: "the schema's default"
        case .vendor: "the vendor's defaults"
        case .factory: "the factory data"
        case .committed: "what is committed"
        case .volatile: "what is volatile"
        }
    }
}

extension SettingLock {
    /// Says of a value of a layer above that it does not count.
    func ignored(at path: SettingPath) -> SettingProblem {
        SettingProblem(
            path: path, value: nil, code: .locked, reason: "is pinned to \(layer.words) by \(file)\(because)")
    }

    /// Says that a layer above takes no value.
    func denied(at path: SettingPath) -> SettingProblem {
        SettingProblem(
            path: path, value: nil, code: .locked,
            reason: "is locked: \(file) pins it to \(layer.words)\(because); who may change that file can free it")
    }

    private var because: String { reason.map { " (\(Excerpt.of($0)))" } ?? "" }
}
