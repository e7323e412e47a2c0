import ArgumentParser

/// `cleat snapshot`.
struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Keep states of the board by name, compare them and bring them back.",
        discussion: """
            A snapshot holds the settings of a generation, and what the files and values of the system are that follow \
            them. It stays until it is deleted, however long the history grows.

            Examples:
              cleat snapshot create "before the update"
              cleat snapshot diff "before the update"
              cleat snapshot restore "before the update" --confirm 2m
              cleat snapshot export "before the update" board-7.snapshot
            """,
        subcommands: [
            SnapshotCreateCommand.self, SnapshotListCommand.self, SnapshotShowCommand.self,
            SnapshotDiffCommand.self, SnapshotRestoreCommand.self, SnapshotDeleteCommand.self,
            SnapshotExportCommand.self, SnapshotImportCommand.self,
        ])
}
