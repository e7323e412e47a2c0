import CleatAPI

extension CommitView: DeedPresentable {
    var deed: String? { reply.state.deed(reply.id, reply.generation, isVolatile: reply.volatile == true) }
}

extension ApplicationView: DeedPresentable {
    var deed: String? { CommitView(reply: reply).deed }
}

extension SnapshotRestoreView: DeedPresentable {
    var deed: String? { CommitView(reply: reply.change).deed }
}

extension TrialEndView: DeedPresentable {
    var deed: String? {
        end.state == .confirmed
            ? "change \(end.id) was confirmed as generation \(end.generation)"
            : "change \(end.id) was undone by generation \(end.generation)"
    }
}

extension TrialView: DeedPresentable {
    var deed: String? { "the time of change \(trial.id) was set" }
}

extension RepairView: DeedPresentable {
    var deed: String? {
        if let id = reply.id, let generation = reply.generation, let state = reply.state {
            return state.deed(id, generation)
        }
        let done = reply.results.count { $0.state == .applied }
        return done == 0 ? nil : "\(done) were written again"
    }
}

extension AdoptionView: DeedPresentable {
    var deed: String? {
        if let id = reply.id, let state = reply.state { return state.deed(id, reply.generation) }
        if !reply.changes.isEmpty { return "generation \(reply.generation) was made" }
        return reply.left.isEmpty ? nil : "\(reply.left.count) are left as they are"
    }
}

extension SnapshotView: DeedPresentable {
    var deed: String? { "the snapshot “\(snapshot.name)” was made" }
}

extension NoteView: DeedPresentable {
    var deed: String? { state == "deleted" ? note : nil }
}

extension FileChangeView: DeedPresentable {
    var deed: String? { "\(FileTarget(area: area, path: entry.path)) was made" }
}

extension FileRemovalView: DeedPresentable {
    var deed: String? { removed.isEmpty ? nil : "removed \(removed.joined(separator: ", "))" }
}

extension FileTransferView: DeedPresentable {
    var deed: String? {
        guard way == .put, !items.isEmpty else { return nil }
        return "put \(items.map(\.target.description).joined(separator: ", "))"
    }
}

extension CommitState {
    /// Returns the completed operation, as the first half of a sentence; nil if nothing was changed.
    fileprivate func deed(_ id: String, _ generation: Int64, isVolatile: Bool = false) -> String? {
        switch self {
        case .confirmed where isVolatile: "the change was made until the next boot (id \(id))"
        case .confirmed: "the change was made as generation \(generation) (id \(id))"
        case .pending: "the change is on trial as generation \(generation) (id \(id))"
        case .repeated: "the change was made before (id \(id))"
        case .reverted: "the change was undone before (id \(id))"
        case .unchanged, .checked: nil
        }
    }
}
