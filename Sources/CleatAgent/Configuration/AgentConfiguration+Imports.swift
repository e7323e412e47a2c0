package import CleatAPI
import CleatIO
import CleatJSON

extension AgentConfiguration {
    /// The maximum number of import rules.
    private static let importLimit = 32

    /// Reads the import rules: `[{ match: "*.settings.json5", owners: ["root"], confirm: "2m" }]`.
    static func readImports(
        _ reader: ConfigurationReader, _ value: JSONValue
    ) throws(ConfigurationError) -> [ImportRule] {
        let elements = try reader.elements(of: value, at: ["imports"])
        guard elements.count <= importLimit else {
            throw reader.refusal(of: value, at: ["imports"], "a list of at most \(importLimit) rules")
        }
        var rules: [ImportRule] = []
        for (index, element) in elements.enumerated() {
            let place = ["imports", String(index)]
            let members = try reader.members(of: element, at: place, known: ["match", "owners", "confirm"])
            guard let pattern = members["match"] else {
                throw reader.refusal(of: element, at: place, "a rule with the member match")
            }
            let text = try reader.text(pattern, at: place + ["match"])
            guard let match = Glob(text), !text.isEmpty else {
                throw reader.refusal(of: pattern, at: place + ["match"], "a pattern such as \"*.settings.json5\"")
            }
            var rule = ImportRule(match: match, owners: [0, ProcessSelf.uid])
            if let owners = members["owners"] { rule.owners = try readOwners(reader, owners, at: place + ["owners"]) }
            if let confirm = members["confirm"] {
                rule.confirm = try reader.milliseconds(confirm, at: place + ["confirm"], in: APILimits.window)
            }
            rules.append(rule)
        }
        return rules
    }

    private static func readOwners(
        _ reader: ConfigurationReader, _ value: JSONValue, at place: [String]
    ) throws(ConfigurationError) -> Set<UInt32> {
        var owners: Set<UInt32> = []
        for (index, element) in try reader.elements(of: value, at: place).enumerated() {
            let number = element.integerValue.flatMap { UInt32(exactly: $0) }
            guard let uid = number ?? element.stringValue.flatMap({ UserDatabase.uid(of: $0) }), uid != .max else {
                throw reader.refusal(
                    of: element, at: place + [String(index)], "the name of a user of this board, or a user's number")
            }
            owners.insert(uid)
        }
        guard !owners.isEmpty else { throw reader.refusal(of: value, at: place, "a list of at least one user") }
        return owners
    }
}

/// A rule that decides which files in the inbox are settings to be applied, and which users may own them.
package struct ImportRule: Sendable, Equatable {
    /// The pattern that the path of the file in the inbox must match.
    package var match: Glob
    /// The uids of the permitted owners: files of other users are rejected.
    package var owners: Set<UInt32>
    /// The confirm window in milliseconds; nil if the change is not on trial.
    package var confirm: Int64?

    /// Creates a rule.
    package init(match: Glob, owners: Set<UInt32>, confirm: Int64? = nil) {
        self.match = match
        self.owners = owners
        self.confirm = confirm
    }
}
