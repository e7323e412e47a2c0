import CleatJSON
import CleatSettings
import CleatStore
import CleatTestSupport

/// Does in memory what a store should do with commits and trials, without a file.
struct TrialModel {
    /// The trial, as it should be.
    struct Pending: Equatable {
        var number: Int
        var id: String
        var phase = TrialPhase.armed
        var deadline: TrialDeadline?
        var failures: String?
        var mementos: [StoredMemento]
    }

    /// One thing that is done to a store.
    enum Step {
        case commit(id: String, [(String, JSONValue?)])
        case arm(id: String, [(String, JSONValue?)], TrialRequest)
        case reverting
        case await(TrialDeadline)
        case extend(TrialDeadline)
        case confirm(id: String, forgetting: [String])
        case revert(id: String?)
        case fail(String)
    }

    /// The settings of each generation, on trial or undone ones too; the first is the empty store.
    var states: [[String: JSONValue]] = [[:]]
    /// The states of the records, from generation 1 on.
    var records: [GenerationState] = []
    var ids: [String] = []
    /// The generation that boots.
    var confirmed = 0
    var pending: Pending?
    var origins: [String: (state: [UInt8], generation: Int)] = [:]

    /// Does a step.
    ///
    /// - Returns: the code of the error that there should be; nil where there should be none.
    mutating func apply(_ step: Step) -> StoreError.Code? {
        switch step {
        case .commit(let id, let changes):
            if pending != nil { return .pending }
            if let next = changed(changes) {
                add(next, id, .confirmed)
                confirmed = states.count - 1
            }
        case .arm(let id, let changes, let trial):
            if pending != nil { return .pending }
            if let next = changed(changes) {
                add(next, id, .pending)
                pending = Pending(number: states.count - 1, id: id, mementos: trial.mementos)
                for origin in trial.origins where origins[origin.resource] == nil {
                    origins[origin.resource] = (origin.state, states.count - 1)
                }
            }
        case .reverting:
            guard pending != nil else { return .noTrial }
            pending?.phase = .reverting
        case .await(let deadline):
            guard let trial = pending else { return .noTrial }
            guard trial.phase == .armed else { return .wrongPhase }
            pending?.phase = .awaitingConfirm
            pending?.deadline = deadline
        case .extend(let deadline):
            guard let trial = pending else { return .noTrial }
            guard trial.phase == .awaitingConfirm else { return .wrongPhase }
            pending?.deadline = deadline
        case .confirm(let id, let resources): return confirm(id, resources)
        case .revert(let id): return revert(id)
        case .fail(let text):
            guard pending != nil else { return .noTrial }
            pending?.phase = .revertFailed
            pending?.failures = text
        }
        return nil
    }

    private func isAhead(_ phase: TrialPhase) -> Bool { [.armed, .awaitingConfirm].contains(phase) }

    private func changed(_ changes: [(String, JSONValue?)]) -> [String: JSONValue]? {
        var next = states[confirmed]
        for (path, value) in changes { next[path] = value }
        return next == states[confirmed] ? nil : next
    }

    private mutating func add(_ state: [String: JSONValue], _ id: String, _ record: GenerationState) {
        states.append(state)
        ids.append(id)
        records.append(record)
    }

    private mutating func confirm(_ id: String, _ resources: [String]) -> StoreError.Code? {
        guard let trial = pending, trial.id == id else { return other(id, ended: .confirmed) }
        guard isAhead(trial.phase) else { return .wrongPhase }
        records[trial.number - 1] = .confirmed
        confirmed = trial.number
        for resource in resources { origins[resource] = nil }
        pending = nil
        return nil
    }

    private mutating func revert(_ id: String?) -> StoreError.Code? {
        guard let trial = pending, id == nil || trial.id == id else {
            guard let id else { return .noTrial }
            return other(id, ended: .reverted)
        }
        records[trial.number - 1] = .reverted
        add(states[confirmed], "revert-\(trial.id)", .confirmed)
        confirmed = states.count - 1
        origins = origins.filter { $0.value.generation != trial.number }
        pending = nil
        return nil
    }

    private func other(_ id: String, ended: GenerationState) -> StoreError.Code? {
        if let index = ids.firstIndex(of: id), records[index] != .pending {
            return records[index] == ended ? nil : .trialEnded
        }
        return pending == nil ? .noTrial : .otherTrial
    }
}

extension TrialModel.Step {
    /// Makes up a step; half of those that end a trial are meant for the one there is.
    static func random(_ model: TrialModel, _ count: Int, using random: inout SeededGenerator) -> Self {
        let paths = (0..<8).map { "p/\($0)" }.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random))
        let changes = paths.map { path -> (String, JSONValue?) in
            (path, Bool.random(using: &random) ? .integer(Int64.random(in: 0...3, using: &random)) : nil)
        }
        func mementos(_ random: inout SeededGenerator) -> [StoredMemento] {
            (0..<Int.random(in: 0...4, using: &random)).map { _ in
                let size = Bool.random(using: &random) ? 3000 : 5
                return StoredMemento(
                    resource: "r/\(Int.random(in: 0...5, using: &random))", adapter: "file",
                    state: (0..<Int.random(in: 0...size, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    })
            }
        }
        func id(_ random: inout SeededGenerator) -> String {
            if let pending = model.pending, Int.random(in: 0..<4, using: &random) > 0 { return pending.id }
            return model.ids.randomElement(using: &random) ?? "none"
        }
        let deadline = deadline(Int64.random(in: 0...Int64.max, using: &random))
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: return .commit(id: "c-\(count)", changes)
        case 3..<8:
            return .arm(
                id: "t-\(count)", changes, TrialRequest(mementos: mementos(&random), origins: mementos(&random)))
        case 8: return .reverting
        case 9..<13: return .await(deadline)
        case 13: return .extend(deadline)
        case 14..<17:
            return .confirm(
                id: id(&random), forgetting: (0..<3).map { _ in "r/\(Int.random(in: 0...5, using: &random))" })
        case 17..<19: return .revert(id: Bool.random(using: &random) ? id(&random) : nil)
        default: return .fail("failure \(count)")
        }
    }

    /// Does the step to a store.
    func apply(to store: StoreFile) throws {
        switch self {
        case .commit(let id, let changes): _ = try store.commits.commit(try request(id, changes))
        case .arm(let id, let changes, let trial): _ = try store.trials.arm(try request(id, changes), trial)
        case .reverting: try store.trials.markReverting()
        case .await(let deadline): try store.trials.awaitConfirm(deadline: deadline)
        case .extend(let deadline): try store.trials.extend(to: deadline)
        case .confirm(let id, let resources): _ = try store.trials.confirm(id: id, forgetting: resources)
        case .revert(let id): _ = try store.trials.revert(id: id, stamp: stamp, reason: "tested")
        case .fail(let text): try store.trials.markRevertFailed(text)
        }
    }
}
