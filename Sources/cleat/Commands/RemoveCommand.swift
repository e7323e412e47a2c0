import ArgumentParser
import CleatAPI

/// `cleat remove`.
struct RemoveCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove values from a list.",
        usage: "cleat remove [<options>] <path> <value> ...",
        discussion: """
            The values are removed from the list as it is when the service makes the change. Removing a value that is \
            not in the list changes nothing. To remove an entry of a map, or a whole setting, use `cleat unset`.

            Examples:
              cleat remove time/ntp/servers ntp.example.net
              cleat remove network/interfaces/eth0/addresses 192.0.2.7/24 --comment "moved to eth1"
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @OptionGroup var kind: ChangeKindOptions

    @Argument(help: "The path of a list.", completion: .custom(SettingPathCompletion.paths))
    var path: String

    @Argument(help: "The values.")
    var values: [String]

    func run(in context: CommandContext) throws(CommandError) {
        try ChangeList(
            operation: .remove, path: path, values: values, write: write, kind: kind, trial: trial, guarding: guarding
        )
        .run(in: context)
    }
}
