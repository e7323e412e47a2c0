import ArgumentParser
import CleatAPI

/// `cleat`: the root of all commands; ``QuickCommand`` reads the plain forms of some without it.
struct CleatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cleat",
        abstract: "Read and change the typed settings of a board, and follow its events.",
        usage: "cleat [-H [user@]host[:port]] [--output text|json|json-lines] <command> …",
        discussion: """
            The service is found by --socket, else by CLEAT_SOCKET, else at /run/cleat/socket, else in the user's own \
            runtime directory. With -H the board is reached by SSH, which starts `cleatd connect` there; nothing \
            listens on the network.

            Examples:
              cleat list
              cleat set system/hostname=pump-7 time/ntp/enabled=true
              cleat -H root@board events --source link

            Exit status: 0 done, 1 failed, 64 wrong usage, 65 invalid value or unknown setting, 69 service not \
            reachable, 75 conflict or a change on trial, 77 denied, 10 a change was reverted, 11 it could not be \
            reverted.
            """,
        version: "cleat \(CleatVersion.text)",
        subcommands: [
            GetCommand.self, SetCommand.self, UnsetCommand.self, AddCommand.self, RemoveCommand.self,
            ResetCommand.self, ListCommand.self, DescribeCommand.self, WhyCommand.self, LogCommand.self,
            ShowCommand.self, PlanCommand.self, DiffCommand.self, RollbackCommand.self, ConfirmCommand.self,
            SnapshotCommand.self, ExtendCommand.self, AbortCommand.self, TryCommand.self, DriftCommand.self,
            ReapplyCommand.self, AdoptCommand.self, InitCommand.self, EditCommand.self, ApplyCommand.self,
            ExportCommand.self,
            WatchCommand.self,
            EventsCommand.self, EmitCommand.self, DevicesCommand.self, LinksCommand.self, PowerCommand.self,
            LocationCommand.self,
            HookCommand.self,
            FileCommand.self,
            SchemaCommand.self, StatusCommand.self, DoctorCommand.self, ReloadCommand.self, VersionCommand.self,
            CompletionsCommand.self,
        ])
}

/// `cleat hook`.
struct HookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hook",
        abstract: "List, try and pause hooks.",
        discussion: """
            Examples:
              cleat hook list
              cleat hook test usb-stick --action add --subject /devices/made/up
              cleat hook run usb-stick
            """,
        subcommands: [
            HookListCommand.self, HookTestCommand.self, HookRunCommand.self, HookPauseCommand.self,
            HookResumeCommand.self,
        ])
}

/// `cleat file`.
struct FileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "file",
        abstract: "List, send, fetch and change files of the board.",
        discussion: """
            The board keeps files in four areas: documents, inbox, library and temporary. A path on the board is \
            written AREA/PATH.

            Examples:
              cleat file put ca.pem documents/certs/
              cleat file get -r documents/certs
              cleat file ls documents
              cleat file df
            """,
        subcommands: [
            FileListCommand.self, FileStatusCommand.self, FileExistsCommand.self, FileGetCommand.self,
            FilePutCommand.self, FileAppendCommand.self, FileCatCommand.self, FileRemoveCommand.self,
            FileMoveCommand.self, FileCopyCommand.self, FileMakeDirectoryCommand.self, FileModeCommand.self,
            FileSpaceCommand.self, FileUploadsCommand.self, FileAbortCommand.self,
        ])
}

/// `cleat schema`.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Enable installed schemas, check documents and schemas, print the schema in force.",
        discussion: """
            Examples:
              cleat schema enable sshd
              cleat schema validate pump.schema.json pump.json
              cleat schema check schema.d/*.json
              cleat schema export > board.schema.json
            """,
        subcommands: [
            SchemaListCommand.self, SchemaEnableCommand.self, SchemaDisableCommand.self, SchemaValidateCommand.self,
            SchemaCheckCommand.self, SchemaExportCommand.self,
        ])
}

/// `cleat snapshot`.
struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Save states of the board by name, compare and restore them.",
        discussion: """
            A snapshot has the settings of a generation, and the files and system values that follow them. It stays \
            until it is deleted, however long the history grows.

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
