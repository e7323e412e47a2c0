package import CleatAPI

/// The history and the snapshots of the settings: of a service, or of a store of the program's own.
package protocol HistoryBackend: Sendable {
    /// Lists generations.
    func log(_ parameters: SettingsInterface.Log.Parameters) async throws(CleatError) -> SettingsInterface.Log.Reply
    /// Compares two generations.
    func compareGenerations(
        _ parameters: SettingsInterface.Diff.Parameters
    ) async throws(CleatError) -> SettingsInterface.Diff.Reply
    /// Restores the settings of a generation; the id makes a repeated call safe.
    func rollback(
        _ parameters: SettingsInterface.Rollback.Parameters
    ) async throws(CleatError) -> SettingsInterface.Outcome
    /// Creates a snapshot; not repeated if the connection is lost.
    func createSnapshot(
        _ parameters: SnapshotsInterface.Create.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Create.Reply
    /// Lists the snapshots.
    func listSnapshots() async throws(CleatError) -> SnapshotsInterface.List.Reply
    /// Returns a page of a snapshot's contents.
    func showSnapshot(
        _ parameters: SnapshotsInterface.Show.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Show.Reply
    /// Compares two snapshots.
    func compareSnapshots(
        _ parameters: SnapshotsInterface.Diff.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Diff.Reply
    /// Restores a snapshot; the id makes a repeated call safe.
    func restoreSnapshot(
        _ parameters: SnapshotsInterface.Restore.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Restore.Reply
    /// Deletes a snapshot; not repeated if the connection is lost.
    func deleteSnapshot(
        _ parameters: SnapshotsInterface.Delete.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Delete.Reply
}

extension RemoteBackend {
    func log(_ parameters: SettingsInterface.Log.Parameters) async throws(CleatError) -> SettingsInterface.Log.Reply {
        try await call(SettingsInterface.Log.self, parameters)
    }

    func compareGenerations(
        _ parameters: SettingsInterface.Diff.Parameters
    ) async throws(CleatError) -> SettingsInterface.Diff.Reply {
        try await call(SettingsInterface.Diff.self, parameters)
    }

    func rollback(
        _ parameters: SettingsInterface.Rollback.Parameters
    ) async throws(CleatError) -> SettingsInterface.Outcome {
        try await call(SettingsInterface.Rollback.self, parameters)
    }

    func createSnapshot(
        _ parameters: SnapshotsInterface.Create.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Create.Reply {
        try await call(SnapshotsInterface.Create.self, parameters, isRepeatable: false)
    }

    func listSnapshots() async throws(CleatError) -> SnapshotsInterface.List.Reply {
        try await call(SnapshotsInterface.List.self, .init())
    }

    func showSnapshot(
        _ parameters: SnapshotsInterface.Show.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Show.Reply {
        try await call(SnapshotsInterface.Show.self, parameters)
    }

    func compareSnapshots(
        _ parameters: SnapshotsInterface.Diff.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Diff.Reply {
        try await call(SnapshotsInterface.Diff.self, parameters)
    }

    func restoreSnapshot(
        _ parameters: SnapshotsInterface.Restore.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Restore.Reply {
        try await call(SnapshotsInterface.Restore.self, parameters)
    }

    func deleteSnapshot(
        _ parameters: SnapshotsInterface.Delete.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Delete.Reply {
        try await call(SnapshotsInterface.Delete.self, parameters, isRepeatable: false)
    }
}
