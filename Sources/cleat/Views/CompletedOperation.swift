import CleatAPI

extension CommitView: CompletedOperationPresentable {
    var completedOperation: String? {
        reply.state.completedOperation(reply.id, reply.generation, isVolatile: reply.volatile == true)
    }
}

extension ApplicationView: CompletedOperationPresentable {
    var completedOperation: String? { CommitView(reply: reply).completedOperation }
}

extension SnapshotRestoreView: CompletedOperationPresentable {
    var completedOperation: String? { CommitView(reply: reply.change).completedOperation }
}

extension TrialEndView: CompletedOperationPresentable {
    var completedOperation: String? {
        end.state == .confirmed
            ? "change \(end.id) was confirmed as generation \(end.generation)"
            : "change \(end.id) was reverted by generation \(end.generation)"
    }
}

extension TrialView: CompletedOperationPresentable {
    var completedOperation: String? { "the time of change \(trial.id) was set" }
}

extension RepairView: CompletedOperationPresentable {
    var completedOperation: String? {
        if let id = reply.id, let generation = reply.generation, let state = reply.state {
            return state.completedOperation(id, generation)
        }
        let done = reply.results.count { $0.state == .applied }
        return done == 0 ? nil : "\(done) were written again"
    }
}

extension AdoptionView: CompletedOperationPresentable {
    var completedOperation: String? {
        if let id = reply.id, let state = reply.state { return state.completedOperation(id, reply.generation) }
        if !reply.changes.isEmpty { return "generation \(reply.generation) was made" }
        return reply.unchanged.isEmpty ? nil : "\(reply.unchanged.count) are unchanged"
    }
}

extension SnapshotView: CompletedOperationPresentable {
    var completedOperation: String? { "the snapshot “\(snapshot.name)” was made" }
}

extension NoteView: CompletedOperationPresentable {
    var completedOperation: String? { state == "deleted" ? note : nil }
}

extension FileChangeView: CompletedOperationPresentable {
    var completedOperation: String? { "\(FileTarget(area: area, path: entry.path)) was made" }
}

extension FileRemovalView: CompletedOperationPresentable {
    var completedOperation: String? { removed.isEmpty ? nil : "removed \(removed.joined(separator: ", "))" }
}

extension FileTransferView: CompletedOperationPresentable {
    var completedOperation: String? {
        guard way == .put, !items.isEmpty else { return nil }
        return "put \(items.map(\.target.description).joined(separator: ", "))"
    }
}

extension CommitState {
    /// Returns the completed operation, as the first half of a sentence; nil if nothing was changed.
    fileprivate func completedOperation(_ id: String, _ generation: Int64, isVolatile: Bool = false) -> String? {
        switch self {
        case .confirmed where isVolatile: "the change was made until the next boot (id \(id))"
        case .confirmed: "the change was made as generation \(generation) (id \(id))"
        case .pending: "the change is on trial as generation \(generation) (id \(id))"
        case .repeated: "the change was made before (id \(id))"
        case .reverted: "the change was reverted before (id \(id))"
        case .unchanged, .checked: nil
        }
    }
}
