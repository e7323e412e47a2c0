package import CleatJSON

extension Schema {
    /// Returns the problems with a value at a path.
    ///
    /// - Parameters:
    ///   - value: a leaf, or an empty object for a map entry without leaves.
    ///   - path: the path of the value.
    ///   - suggesting: true if the most similar known path is searched for when the path is unknown.
    /// - Returns: all problems; none if the value is valid.
    package func problems(
        with value: JSONValue, at path: SettingPath, suggesting: Bool = false
    ) -> [SettingProblem] {
        problems(with: value, at: path, place(of: path), suggesting: suggesting)
    }

    /// Returns the problems with a value at a path whose place is known.
    @inline(never)
    func problems(
        with value: JSONValue, at path: SettingPath, _ place: Place, suggesting: Bool = false
    ) -> [SettingProblem] {
        switch place {
        case .entry where value == .object([:]), .group where value == .object([:]): return []
        case .setting(let node), .entry(let node), .group(let node):
            // A group may contain a secret, and so may a list.
            let isHidden = node.isSecret || value.mayHold && node.rules.contains(where: \.schema.hasSecrets)
            return node.brokenRules(by: value).map { rule in
                SettingProblem(path: path, value: isHidden ? nil : value, code: rule.code, reason: rule.reason)
            }
        default: return [unknown(path, suggesting: suggesting)]
        }
    }

    /// Returns the problem of an unknown path; it omits the value, which may be a secret's under a mistyped path.
    func unknown(_ path: SettingPath, suggesting: Bool) -> SettingProblem {
        if let name = newName(of: path) {
            return SettingProblem(
                path: path, value: nil, code: .unknown, reason: "is not a setting any more: it was renamed to \(name)")
        }
        switch place(of: path) {
        case .invalidKey(let map, let key, let problem):
            return SettingProblem(
                path: path, value: nil, code: .key,
                reason: "names “\(Excerpt.of(key))” in \(map), and that name \(problem)")
        case .belowSetting(let setting):
            // The keys below a secret are part of the secret.
            guard lookup(setting)?.isSecret != true else {
                return SettingProblem(
                    path: setting, value: nil, code: .unknown, reason: "is one setting, and nothing is below it")
            }
            return SettingProblem(
                path: path, value: nil, code: .unknown,
                reason: "is not a setting: \(setting) is one, and nothing is below it")
        default:
            let nearest = suggesting ? suggestion(for: path).map { "; did you mean \($0)?" } : nil
            return SettingProblem(
                path: path, value: nil, code: .unknown,
                reason: "is not a setting\(nearest ?? "; see “cleat describe” for those that are")")
        }
    }
}

extension JSONValue {
    /// True if the value can contain other values.
    fileprivate var mayHold: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }
}
