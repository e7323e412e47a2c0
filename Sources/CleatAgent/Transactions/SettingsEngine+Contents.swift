import CleatAPI
import CleatAdapters
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// Returns the contents of the documents that a change writes: they came with it, or the store has kept them.
    ///
    /// - Returns: The contents, by their hash.
    /// - Throws: `APIError` if the store cannot be read, or a content in it is damaged.
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

    /// Returns the reasons why a change cannot write documents: a content is missing, or the documents are volatile.
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
