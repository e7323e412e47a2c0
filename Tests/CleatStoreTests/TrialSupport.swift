import CleatJSON
import CleatSettings
import CleatStore
import Testing

/// A memento whose bytes are its resource's name, or the bytes given.
func memento(_ resource: String, adapter: String = "file", _ state: [UInt8]? = nil) -> StoredMemento {
    StoredMemento(resource: resource, adapter: adapter, state: state ?? Array(resource.utf8))
}

/// A deadline of the boot that `stamp` is of.
func deadline(_ bootTime: Int64) -> TrialDeadline { TrialDeadline(bootID: stamp.bootID, bootTime: bootTime) }

extension StoreFile {
    /// Arms changes and gives the number of the pending generation.
    @discardableResult
    func arm(
        _ id: String, _ changes: [(String, JSONValue?)], mementos: [StoredMemento] = [], origins: [StoredMemento] = [],
        window: Int64? = 120_000, contents: [StoredContent] = []
    ) throws -> Int64 {
        let outcome = try trials.arm(
            try request(id, changes),
            TrialRequest(window: window, mementos: mementos, origins: origins, contents: contents))
        guard case .pending(let reference, _) = outcome else { throw Unexpected(what: "\(outcome)") }
        return reference.generation
    }

    /// Undoes the trial and gives the number of the generation that does.
    @discardableResult
    func undo(_ reason: String = "tested") throws -> Int64 {
        let outcome = try trials.revert(stamp: stamp, reason: reason)
        guard case .reverted(let reference, _) = outcome else { throw Unexpected(what: "\(outcome)") }
        return reference.generation
    }

    /// The differences as text: path, old, new.
    func compare(_ from: Int64, _ to: Int64) throws -> [String] {
        try history.differences(from: from, to: to).map {
            "\($0.path) \($0.old?.description ?? "-") \($0.new?.description ?? "-")"
        }
    }

    /// All that can be seen of the store, to be compared.
    func view() throws -> StoreView {
        StoreView(
            generation: generation.generation, values: try values,
            history: try history.generations(before: nil, limit: StoreLimits.page), trial: try trials.current(),
            origins: try resources.origins(),
            document: try contents.content(document.hash))
    }
}

/// Holds all that can be seen of a store.
struct StoreView: Equatable {
    var generation: Int64
    var values: [String: JSONValue]
    var history: [GenerationRecord]
    var trial: StoredTrial?
    var origins: [StoredOrigin]
    var document: [UInt8]?
}

/// The content of a trial's document.
let document = StoredContent(
    hash: ObjectHash(of: [UInt8](repeating: 7, count: 5000)).description, bytes: [UInt8](repeating: 7, count: 5000))
