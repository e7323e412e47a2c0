import CleatAPI
import CleatAdapters
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// What the documents shall hold that a change writes: what came with it, or what the store has kept.
    ///
    /// - Returns: what was found, by its hash.
    /// - Throws: `APIError` where the store cannot be read, or what it has kept is damaged.
    func contents(of change: SystemChange, besides given: DocumentContents = [:]) async throws -> DocumentContents {
        var found: DocumentContents = [:]
        do {
            for (hash, _) in change.documents where found[hash] == nil {
                if let bytes = given[hash] {
                    found[hash] = bytes
                } else {
                    found[hash] = try await store.content(hash)
                }
            }
        } catch {
            throw Self.failure(error)
        }
        return found
    }

    /// Why a change cannot write documents: what they shall hold is nowhere, or is too much, or they are volatile.
    static func missingContents(of change: SystemChange, _ proposal: SettingsProposal) -> [SettingProblem] {
        func problem(_ path: SettingPath, _ reason: String) -> SettingProblem {
            SettingProblem(path: path, value: nil, code: .system, reason: reason)
        }
        let volatile = proposal.volatileDifferences.map(\.path).filter { DocumentsAdapter.path.isPrefix(of: $0) }
        var problems = volatile.map {
            problem($0, "is a file, which outlasts the next boot; leave out --volatile")
        }
        for (hash, step) in change.documents where change.contents[hash] == nil {
            problems.append(
                problem(
                    step.path,
                    "names a content that is not on the board, or not any more; send the file along, with 'cleat apply "
                        + "--file \(step.path.name)=FILE'"))
        }
        return problems
    }
}
