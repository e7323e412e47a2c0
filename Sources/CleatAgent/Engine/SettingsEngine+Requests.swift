import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// Parses a path that a caller has written.
    nonisolated static func path(_ text: String) throws(APIError) -> SettingPath {
        do {
            return try SettingPath(text)
        } catch {
            throw .invalidPath(path: error.excerpt, message: error.description)
        }
    }

    /// Returns a proposal's problems as an error for the caller.
    nonisolated static func refusal(_ proposal: SettingsProposal) -> APIError {
        refusal(proposal.problems, count: proposal.problemCount)
    }

    /// Returns problems as an error for the caller; `count` is their total number, of which these are the first.
    nonisolated static func refusal(_ problems: [SettingProblem], count: Int) -> APIError {
        if count == 1, let problem = problems.first, problem.code == .unknown {
            return .unknownSetting(path: problem.path.text, message: problem.description)
        }
        var refused = problems.prefix(64).map { problem in
            RefusedChange(
                path: problem.path.text, value: problem.value, code: problem.code.description, reason: problem.reason)
        }
        if count > refused.count {
            refused.append(RefusedChange(path: "", code: "more", reason: "and \(count - refused.count) more problems"))
        }
        let isLocked = problems.allSatisfy { $0.code == .locked }
        return isLocked ? .settingLocked(refused) : .invalidValue(refused)
    }

    /// Returns the error for an id that was used for other changes.
    nonisolated static func reused(_ id: String, generation: Int64) -> APIError {
        .idReused(
            id: id, generation: generation,
            message: "id \(id) was used for other changes, in generation \(generation); take a new id")
    }

    /// Returns a failure of the store as an error for the caller.
    nonisolated static func failure(_ error: StoreError) -> APIError {
        .storeFailed(code: error.code.description, message: error.description)
    }

    /// Returns a new id for a caller that gave none: 128 random bits.
    nonisolated static func makeID() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
