import ArgumentParser

/// `cleat get`.
struct GetCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the value of a setting.",
        usage: "cleat get [<options>] <path>",
        discussion: """
            Prints the value of a setting, or all settings below a path. If a setting of the system is unset, the \
            system decides: nothing is printed, the exit status is 1, and JSON has "in_force": false and no value. A \
            value that is on trial is marked on a terminal, and in JSON by "pending". A script gets the bare string.

            Examples:
              cleat get system/hostname
              cleat get network/interfaces/eth0
              cleat get time/ntp --output json
              cleat get system/hostname --default
              cleat get system/hostname --live
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Show secrets, too; only root and the service's own user may.")
    var reveal = false

    @Flag(name: .customLong("default"), help: "Print the schema's default, whatever is set.")
    var asksForDefault = false

    @Flag(help: "Print the value in the system, whether the setting is set or not.")
    var live = false

    @Argument(help: "The path of a setting, or of settings.", completion: .custom(SettingPathCompletion.paths))
    var path: String

    func validate() throws {
        if live, reveal || asksForDefault {
            throw ValidationError("--live prints the value in the system: omit --reveal and --default")
        }
    }

    var request: any ServiceRequest {
        live
            ? ServiceQuestion.live(prefix: path, isList: false)
            : ServiceQuestion.get(path: path, reveal: reveal, asksForDefault: asksForDefault)
    }
}
