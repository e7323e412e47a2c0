import ArgumentParser
import CleatAPI

/// `cleat add`.
struct AddCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add values to a list.",
        usage: "cleat add [<options>] <path> <value> ...",
        discussion: """
            The values come at the end of the list that is there when the service does it, so that two who add at once \
            lose nothing. What is there already is not added again. Values are read as the list's elements want them.

            Examples:
              cleat add time/ntp/servers ntp.example.net
              cleat add network/interfaces/eth0/addresses 192.0.2.7/24 2001:db8::7/64
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @OptionGroup var kind: ChangeKindOptions

    @Argument(help: "The path of a list.", completion: .custom(SettingPathCompletion.paths))
    var path: String

    @Argument(help: "What is added.")
    var values: [String]

    func run(in context: CommandContext) throws(CommandError) {
        try ChangeList(
            operation: .add, path: path, values: values, write: write, kind: kind, trial: trial, guarding: guarding
        )
        .run(in: context)
    }
}
