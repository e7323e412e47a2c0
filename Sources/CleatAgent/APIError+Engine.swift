import CleatAPI
import CleatJSON
import CleatSettings
import CleatStore

extension APIError {
    /// Creates the error for a failure of the store.
    init(_ error: StoreError) {
        self = .storeFailed(code: error.code.description, message: error.description)
    }

    /// Creates the error for the problems of a proposal.
    init(refusing proposal: SettingsProposal) {
        self.init(refusing: proposal.problems, count: proposal.problemCount)
    }

    /// Creates the error for problems.
    ///
    /// - Parameters:
    ///   - problems: The first problems.
    ///   - count: The number of all problems; nil if these are all.
    init(refusing problems: [SettingProblem], count: Int? = nil) {
        let count = count ?? problems.count
        if count == 1, let problem = problems.first, problem.code == .unknown {
            self = .unknownSetting(path: problem.path.text, message: problem.description)
            return
        }
        var refused = problems.prefix(64).map { problem in
            RefusedChange(
                path: problem.path.text, value: problem.value, code: problem.code.description, reason: problem.reason)
        }
        if count > refused.count {
            refused.append(RefusedChange(path: "", code: "more", reason: "and \(count - refused.count) more problems"))
        }
        let isLocked = problems.allSatisfy { $0.code == .locked }
        self = isLocked ? .settingLocked(refused) : .invalidValue(refused)
    }

    /// Returns the error for one parameter of a request.
    static func refused(_ parameter: String, _ value: JSONValue? = nil, code: String, _ reason: String) -> APIError {
        .invalidValue([RefusedChange(path: parameter, value: value, code: code, reason: reason)])
    }

    /// Returns the error for an id that was used for other changes.
    static func reused(_ id: String, generation: Int64) -> APIError {
        .idReused(
            id: id, generation: generation,
            message: "id \(id) was used for other changes, in generation \(generation); use a new id")
    }

    /// Returns the error for a generation whose state this release does not know.
    static func unknownState(_ word: String, of generation: Int64) -> APIError {
        .storeFailed(
            code: "state",
            message: "generation \(generation) is in the state “\(word)”, which a later release wrote; see 'cleat log'")
    }

    /// Returns the error for text that is not a valid id of a transaction; nil if it is one.
    static func invalidTransaction(_ id: String) -> APIError? {
        guard !APILimits.isValidID(id) else { return nil }
        return .unknownTransaction(
            id: String(id.prefix(APILimits.idBytes)), message: "that is not a valid transaction ID; see 'cleat status'")
    }

    /// Returns a failure of the store about snapshots as an error for the caller; other errors stay as they are.
    static func snapshotFailure(_ error: any Error) -> any Error {
        guard let error = error as? StoreError else { return error }
        let kind: SnapshotsError.Kind
        switch error.code {
        case .unknownSnapshot: kind = .unknownSnapshot
        case .exists: kind = .snapshotExists
        case .invalidName: kind = .invalidName
        case .limit: kind = .limitReached
        case .damaged: kind = .damagedObject
        default: return APIError(error)
        }
        return APIError.snapshots(SnapshotsError(kind, String(error.subject.prefix(64)), message: error.description))
    }
}

extension SettingPath {
    /// Parses a path that a caller has written.
    ///
    /// - Throws: `APIError.invalidPath`.
    init(fromCaller text: String) throws(APIError) {
        do {
            try self.init(text)
        } catch {
            throw .invalidPath(path: error.excerpt, message: error.description)
        }
    }
}
