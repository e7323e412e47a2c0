import CleatAPI
import CleatIO

/// A change that is in force, and reverts unless it is confirmed; see ``Cleat/edit(confirm:until:comment:_:whileOnTrial:)``.
public struct Trial: Sendable {
    /// The end of a change on trial.
    public enum Outcome: Hashable, Sendable {
        /// The change is confirmed, with its generation.
        case confirmed(generation: Int64)
        /// The former settings are in force again, in a generation of their own.
        case reverted(generation: Int64)
        /// Nothing was changed, so there was no trial.
        case unchanged
    }

    /// The id of the change, which the command line takes as well: `cleat confirm ID`.
    public let id: String
    /// The generation that is on trial.
    public let generation: Int64
    private let backend: any SettingsBackend

    init(id: String, generation: Int64, backend: any SettingsBackend) {
        self.id = id
        self.generation = generation
        self.backend = backend
    }

    /// Confirms the change, which stays in force.
    ///
    /// To confirm it twice is not an error.
    ///
    /// - Throws: ``CleatError``: `ended` if it was reverted, because its window was over for instance.
    public func confirm() async throws(CleatError) {
        _ = try await backend.confirm(id)
    }

    /// Restarts the confirm window with a new length from now, a second to a day.
    ///
    /// - Throws: ``CleatError``: `ended` if the change is not on trial any more, `refused` for an invalid length.
    public func extend(_ window: Duration) async throws(CleatError) {
        try await backend.extend(id, to: window.milliseconds)
    }

    /// Reverts the change now; the former settings are in force when this returns.
    ///
    /// To revert it twice is not an error.
    ///
    /// - Throws: ``CleatError``: `ended` if it was confirmed.
    public func abort() async throws(CleatError) {
        _ = try await backend.abort(id)
    }

    /// Reverts the change if it is still on trial, and returns how it has ended.
    func end() async throws(CleatError) -> Outcome {
        do throws(CleatError) {
            return Outcome(try await backend.abort(id))
        } catch {
            guard error.code == .ended else { throw error }
            return Outcome(try await backend.outcome(of: id))
        }
    }
}

extension Trial.Outcome {
    fileprivate init(_ end: TransactionsInterface.End) {
        self = end.state == .confirmed ? .confirmed(generation: end.generation) : .reverted(generation: end.generation)
    }
}

/// The terms of a change on trial.
struct TrialWindow: Sendable {
    /// The confirm window.
    let milliseconds: Int64
    /// The probes that confirm the change.
    let probes: [String]
}
