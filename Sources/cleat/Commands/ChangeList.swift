import CleatAPI
import CleatJSON
import CleatSettings

/// Adds values to a list or removes them; implements `cleat add` and `cleat remove`.
struct ChangeList {
    let operation: RequestedChange.Operation
    let path: String
    let values: [String]
    let write: WriteOptions
    let kind: ChangeKindOptions
    let trial: TrialOptions
    let guarding: GuardOptions

    /// Sends the changes as one transaction.
    ///
    /// The service is asked first for the type of the elements: removing the number 42 from a list of strings would
    /// match nothing and report no error.
    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.changeSession(for: trial, guardedBy: guarding)
        let types = try elementTypes(session.service)
        var changes: [RequestedChange] = []
        for text in values {
            changes.append(RequestedChange(path: path, value: try value(text, types), operation: operation))
        }
        let reply = try session.set(
            .init(
                changes: changes, id: write.id, expect: try write.reference(session.service), comment: write.comment,
                volatile: kind.volatile ? true : nil, check: kind.check ? true : nil,
                confirm: trial.window?.milliseconds, until: trial.until))
        try context.console.show(CommitView(reply: reply))
        try trial.follow(reply, session, context.console)
    }

    private func value(_ text: String, _ types: [String]?) throws(CommandError) -> JSONValue {
        do {
            // The list may be a secret, so the error must not quote the value; the service would not either.
            return try SettingValueText.parse(text, types: types, isSecret: true)
        } catch {
            throw CommandError(
                status: .invalid, layer: .validate, code: "Value", message: "\(path): \(error)",
                remedy: "see `cleat describe \(path)` for what the list takes")
        }
    }

    /// Returns the types of the list's elements; nil if any type is allowed, or the path is not a single setting.
    private func elementTypes(_ session: Session) throws(CommandError) -> [String]? {
        let found = try session.call(SettingsInterface.Describe.self, .init(prefix: path)).descriptions
        guard found.count == 1, let type = found[0].constraints["items"]?["type"] else { return nil }
        if let name = type.stringValue { return [name] }
        return type.arrayValue?.compactMap(\.stringValue)
    }
}
