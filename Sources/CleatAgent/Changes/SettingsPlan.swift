import CleatAPI
import CleatHash
import CleatJSON
import CleatSettings

/// The changes that a caller requests, parsed and within the limits of one call.
struct SettingsPlan {
    /// The paths that are set and unset.
    let changes: ChangeSet
    /// The elements that are added to lists and removed from them.
    let edits: [ListEdit]
    /// The layer that is written.
    let layer: ResolvedSetting.Origin
    /// The hash of the request: requests with the same hash are the same.
    let hash: String

    /// Parses a request.
    init(_ request: SettingsInterface.Set.Parameters) throws {
        try Self.checkWords(id: request.id, comment: request.comment)
        guard request.changes.count <= APILimits.changes else {
            throw APIError.tooManyChanges(
                limit: APILimits.changes,
                message:
                    "\(request.changes.count) changes are more than the \(APILimits.changes) of one call; make several")
        }
        var changes: [Change] = []
        var edits: [ListEdit] = []
        changes.reserveCapacity(request.changes.count)
        for change in request.changes {
            let path = try SettingPath(fromCaller: change.path)
            switch change.operation {
            case nil, .set: changes.append(Change(path, change.value))
            case .add: edits.append(ListEdit(path, .add, try Self.element(of: change)))
            case .remove: edits.append(ListEdit(path, .remove, try Self.element(of: change)))
            }
        }
        self.edits = edits
        layer = request.volatile == true ? .volatile : .committed
        self.changes = try Self.changeSet(changes)
        // An edited path may not be set as well, and neither may a path above or below it.
        if !edits.isEmpty { _ = try Self.changeSet(changes + Self.placeholders(for: edits)) }
        hash = Self.hash(of: self.changes, edits, layer)
    }

    /// Returns the changes to make, given the present contents of lists.
    func changes(
        on settings: LayeredSettings
    ) throws -> (changes: ChangeSet, problems: [SettingProblem]) {
        guard !edits.isEmpty else { return (changes, []) }
        let (lists, problems) = settings.changes(for: edits, to: layer)
        return (try Self.changeSet(changes.changes + lists), problems)
    }

    /// Returns the hash of a request for a reset.
    static func resetHash(_ prefix: SettingPath?) -> String {
        SHA256.hexadecimal(of: "reset\n\(prefix?.text ?? "")".utf8)
    }

    /// Returns the hash of a request to roll back to a generation; nil is the one before the newest change that is in
    /// force.
    static func rollbackHash(_ number: Int64?) -> String {
        SHA256.hexadecimal(of: "rollback\n\(number.map(String.init) ?? "")".utf8)
    }

    /// Returns the hash of a request to reapply resources; nil is all of them.
    static func reapplyHash(_ names: [String]?) -> String { resourcesHash("reapply", names) }

    /// Returns the hash of a request to adopt resources; nil is all of them.
    static func adoptHash(_ names: [String]?) -> String { resourcesHash("adopt", names) }

    private static func resourcesHash(_ verb: String, _ names: [String]?) -> String {
        let list = names.map { "\($0.count)\n" + $0.joined(separator: "\n") } ?? ""
        return SHA256.hexadecimal(of: "\(verb)\n\(list)".utf8)
    }

    /// Returns the hash of a request that only matches if the same user makes it.
    static func hash(_ hash: String, by author: Author) -> String {
        SHA256.hexadecimal(of: "\(author.name)\n\(hash)".utf8)
    }

    /// Returns the hash of a request that is only rehearsed.
    static func rehearsalHash(_ hash: String) -> String { SHA256.hexadecimal(of: "rehearsal\n\(hash)".utf8) }

    /// Refuses an invalid id and a comment that is too long.
    static func checkWords(id: String?, comment: String?) throws(APIError) {
        if let id, !APILimits.isValidID(id) {
            throw .invalidValue([
                RefusedChange(
                    path: "id", value: .string(String(id.prefix(APILimits.idBytes))), code: "id",
                    reason: "an id is 1 to \(APILimits.idBytes) of the characters A-Z a-z 0-9 . _ : -")
            ])
        }
        if let comment, comment.utf8.count > APILimits.commentBytes {
            throw .invalidValue([
                RefusedChange(
                    path: "comment", code: "comment",
                    reason: "a comment has at most \(APILimits.commentBytes) bytes; shorten it")
            ])
        }
    }

    private static func element(of change: RequestedChange) throws(APIError) -> JSONValue {
        guard let value = change.value, !value.isNull else {
            throw .invalidValue([
                RefusedChange(
                    path: change.path, code: "type",
                    reason: "names no value to \(change.operation?.rawValue ?? "set"); give one")
            ])
        }
        return value
    }

    private static func placeholders(for edits: [ListEdit]) -> [Change] {
        var elements: [SettingPath: [JSONValue]] = [:]
        for edit in edits { elements[edit.path, default: []].append(edit.element) }
        return elements.map { Change($0.key, .array($0.value)) }
    }

    /// Combines changes, of which no two may have the same path.
    static func changeSet(_ changes: [Change]) throws(APIError) -> ChangeSet {
        do {
            return try ChangeSet(changes)
        } catch {
            if error.code == .tooMany {
                throw .tooManyChanges(limit: error.limit ?? APILimits.changes, message: error.description)
            }
            throw .invalidValue([
                RefusedChange(
                    path: error.path?.text ?? "", code: error.code.description, reason: error.description)
            ])
        }
    }

    private static func hash(
        of changes: ChangeSet, _ edits: [ListEdit], _ layer: ResolvedSetting.Origin
    ) -> String {
        var text = changes.canonicalText
        if !edits.isEmpty {
            let list = edits.map { edit -> JSONValue in
                .array([.string(edit.path.text), .string(edit.operation.rawValue), edit.element])
            }
            text += "\n" + JSONValue.array(list).canonicalText
        }
        if layer == .volatile { text += "\nvolatile" }
        return SHA256.hexadecimal(of: text.utf8)
    }
}
