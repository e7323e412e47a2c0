import ArgumentParser
import CleatAPI

/// `cleat add`.
struct AddCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add values to a list.",
        usage: "cleat add [<options>] <path> <value> ...",
        discussion: """
            The values are appended to the list as it is when the service makes the change, so that two concurrent \
            calls lose nothing. A value that the list has already is not added again. Values are parsed as elements \
            of the list.

            Examples:
              cleat add time/ntp/servers ntp.example.net
              cleat add network/interfaces/eth0/addresses 192.0.2.7/24 2001:db8::7/64
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
            operation: .add, path: path, values: values, write: write, kind: kind, trial: trial, guarding: guarding
        )
        .run(in: context)
    }
}
