import ArgumentParser
import CleatAPI

/// `cleat doctor`.
struct DoctorCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say what is not as it should be, and what to do about it.",
        usage: "cleat doctor [<options>]",
        discussion: """
            Stored values that a schema refuses or does not know, files that are refused, locks that hide a value, \
            renamed and deprecated settings, the state of the store. Ends with 0 where nothing was found, else with 1.

            Examples:
              cleat doctor
              cleat doctor --output json-lines
            """)

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(SettingsInterface.Doctor.self, .init())
        try context.console.show(DoctorView(reply: reply))
        if !reply.findings.isEmpty || reply.omitted ?? 0 > 0 { throw .alreadyTold(.failure) }
    }
}
