import ArgumentParser
import CleatAPI

/// `cleat`: the root of all commands that the argument parser handles, that is, all but ``QuickCommand``.
struct CleatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cleat",
        abstract: "Read and change the typed settings of a board, and follow its events.",
        usage: "cleat [-H [user@]host[:port]] [--output text|json|json-lines] <command> …",
        discussion: """
            The service is found by --socket, else by CLEAT_SOCKET, else at /run/cleat/socket, else in the user's own \
            runtime directory. With -H the board is reached by SSH, where `cleatd connect` must be there; nothing else \
            listens.

            Examples:
              cleat list
              cleat set system/hostname=pump-7 time/ntp/enabled=true
              cleat -H root@board events --source link

            Exit status: 0 done, 1 failed, 64 wrong usage, 65 invalid value or unknown setting, 69 service not \
            reachable, 75 conflict or a change on trial, 77 denied, 10 a change was undone, 11 it could not be undone.
            """,
        version: "cleat \(CleatVersion.text)",
        subcommands: [
            GetCommand.self, SetCommand.self, UnsetCommand.self, AddCommand.self, RemoveCommand.self,
            ResetCommand.self, ListCommand.self, DescribeCommand.self, WhyCommand.self, LogCommand.self,
            ShowCommand.self, PlanCommand.self, DiffCommand.self, RollbackCommand.self, ConfirmCommand.self,
            SnapshotCommand.self, ExtendCommand.self, AbortCommand.self, TryCommand.self, DriftCommand.self,
            ReapplyCommand.self, AdoptCommand.self, EditCommand.self, ApplyCommand.self, ExportCommand.self,
            WatchCommand.self,
            EventsCommand.self, DevicesCommand.self, LinksCommand.self, HookCommand.self, FileCommand.self,
            SchemaCommand.self, StatusCommand.self, DoctorCommand.self, CompletionsCommand.self,
        ])
}
