import CleatAPI
import CleatJSON
import CleatSettings

/// The type-erased facts of a key that are compared with a schema.
struct KeyCheck: Sendable {
    let path: SettingPath
    let isOptional: Bool
    /// The default as JSON; nil for an optional key.
    let defaultValue: Result<JSONValue?, CleatError>
    /// The closure that returns the reason why a value cannot be read as the key's type; nil if it can be read.
    let refusal: @Sendable (JSONValue) -> Refusal?
    let typeName: String
    /// The closure that makes the schema of the key; it throws if the type or the default has none.
    let schema: @Sendable () throws -> JSONObject

    /// The reason why a value cannot be read.
    struct Refusal: Sendable {
        /// True if the value is of another type; false for any other reason.
        let isType: Bool
        let reason: String
    }

    init<Value>(_ key: SettingKey<Value>) {
        path = key.path
        isOptional = key.isOptional
        typeName = "\(Value.self)"
        schema = { try key.schema() }
        do {
            defaultValue = .success(key.isOptional ? nil : try JSONValue(setting: key.defaultValue))
        } catch {
            defaultValue = .failure(CleatError(.mismatch, "the default of \(key.path) is not valid JSON: \(error)"))
        }
        refusal = { value in
            do {
                _ = try value.decode(setting: Value.self)
                return nil
            } catch let error as JSONCodingError {
                return Refusal(isType: error.code == .wrongType, reason: "\(error)")
            } catch {
                return Refusal(isType: false, reason: "\(error)")
            }
        }
    }

    /// Compares the key with the schema's descriptions of its path.
    ///
    /// - Parameters:
    ///   - descriptions: the settings at the path and below it.
    ///   - revealsSecrets: true if secrets can be read.
    /// - Returns: every mismatch.
    func problems(_ descriptions: [SettingDescription], revealsSecrets: Bool) -> [CleatError.Problem] {
        let leaf = descriptions.first { $0.path == path.text }
        var problems: [CleatError.Problem] = []
        if let leaf, leaf.isSecret, !revealsSecrets {
            problems.append(
                problem(
                    "secret",
                    "is a secret, which is not sent: run as root or the service's own user, and connect with "
                        + "`revealingSecrets: true`"))
        }
        switch defaultValue {
        case .success(let value?): problems += defaultProblems(value, leaf, descriptions)
        case .success(nil): break
        case .failure(let error):
            problems.append(problem("type", "has a default that is not valid JSON: \(error.message)"))
        }
        if problems.contains(where: { $0.code == "type" }) { return problems }
        if let leaf {
            problems += typeProblems(leaf)
        } else if let refused = refusal(.object(Self.defaults(of: descriptions, below: path))), refused.isType {
            problems.append(
                problem("type", "is a group of settings that cannot be read as \(typeName): \(refused.reason)"))
        }
        return problems
    }

    private func problem(_ code: String, _ reason: String, _ value: JSONValue? = nil) -> CleatError.Problem {
        CleatError.Problem(path: path.text, code: code, reason: reason, value: value)
    }

    // MARK: The default

    private func defaultProblems(
        _ value: JSONValue, _ leaf: SettingDescription?, _ descriptions: [SettingDescription]
    ) -> [CleatError.Problem] {
        if let leaf { return Self.problems(value, at: path.text, leaf) }
        guard case .object(let members) = value else {
            return [problem("type", "is a group of settings, and the key's default \(value) is not one", value)]
        }
        let patterns = descriptions.map { ($0, $0.path.split(separator: "/").map(String.init)) }
        var problems: [CleatError.Problem] = []
        var open: [(String, JSONValue)] = members.map { ("\(path.text)/\(SettingPath.escaped($0.key))", $0.value) }
        while let (place, value) = open.popLast() {
            let segments = place.split(separator: "/").map(String.init)
            if let (found, _) = patterns.first(where: { SettingDescription.matches(segments, $0.1) }) {
                problems += Self.problems(value, at: place, found)
            } else if case .object(let below) = value {
                open += below.map { ("\(place)/\(SettingPath.escaped($0.key))", $0.value) }
            } else {
                problems.append(
                    CleatError.Problem(
                        path: place, code: "unknown",
                        reason: "is part of the key's default, and is not a setting of this board",
                        value: value))
            }
        }
        return problems.sorted { $0.path < $1.path }
    }

    private static func problems(
        _ value: JSONValue, at path: String, _ description: SettingDescription
    ) -> [CleatError.Problem] {
        guard !value.isNull, let schema = description.compiled else { return [] }
        return schema.validate(value).violations.map { violation in
            CleatError.Problem(
                path: path, code: violation.keyword == "type" ? "type" : violation.keyword,
                reason: "does not take the key's default: it \(violation.reason)",
                value: description.isSecret ? nil : value)
        }
    }

    // MARK: The type

    /// Returns a problem if the schema allows a value that cannot be read as the key's type; at most one.
    private func typeProblems(_ leaf: SettingDescription) -> [CleatError.Problem] {
        if let other = leaf.constraints["format"], let own = (try? schema())?["format"], other != own {
            return [problem("format", "has the format \(other) on this board, and \(own) as the key states")]
        }
        // An optional key does not read the schema's default.
        let certain = leaf.certain.filter { !(isOptional && $0 == leaf.default) }
        for sample in certain {
            guard let refused = refusal(sample) else { continue }
            return [
                problem(
                    "type", "may be \(sample) on this board, which cannot be read as \(typeName): \(refused.reason)")
            ]
        }
        for sample in leaf.samples {
            guard let refused = refusal(sample), refused.isType else { continue }
            return [
                problem(
                    "type",
                    "may be \(leaf.types.joined(separator: " or ")) on this board, such as \(sample), which cannot be "
                        + "read as \(typeName): \(refused.reason)")
            ]
        }
        return []
    }

    /// Returns the defaults of a group's settings as a tree, without those of map entries.
    private static func defaults(of descriptions: [SettingDescription], below path: SettingPath) -> JSONObject {
        let rows = descriptions.compactMap { description -> (SettingPath, JSONValue)? in
            guard !description.path.contains("{"), let value = description.default,
                let place = try? SettingPath(description.path)
            else { return nil }
            return (place, value)
        }
        return SettingsTree(rows).value(at: path)?.objectValue ?? [:]
    }
}
