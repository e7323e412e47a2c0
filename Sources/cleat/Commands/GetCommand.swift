import ArgumentParser

/// `cleat get`.
struct GetCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print what a setting holds.",
        usage: "cleat get [<options>] <path>",
        discussion: """
            Of a setting, the value; of a path with settings below it, all of them. A value that is only a default is \
            marked on a terminal, and in JSON by "in_force": false; so is one that is on trial, by "pending". A script gets the \
            bare string.

            Examples:
              cleat get system/hostname
              cleat get network/interfaces/eth0
              cleat get time/ntp --output json
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Show secrets, too; only root and the service's own user may.")
    var reveal = false

    @Argument(help: "The path of a setting, or of settings.", completion: .custom(SettingPathCompletion.paths))
    var path: String

    func run(in context: CommandContext) throws(CommandError) {
        try GetSetting.run(path, reveal: reveal, in: context)
    }
}
