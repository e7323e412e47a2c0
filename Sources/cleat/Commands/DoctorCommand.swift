import ArgumentParser
import CleatAPI
import CleatJSON

/// `cleat doctor`.
struct DoctorCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Report problems and their remedies.",
        usage: "cleat doctor [<options>]",
        discussion: """
            Reports stored values that a schema refuses or does not know, files that are refused, locks that hide a \
            value, renamed and deprecated settings, and problems of the store. The exit status is 0 if there is no \
            problem, else 1.

            Examples:
              cleat doctor
              cleat doctor --output json-lines
            """)

    @OptionGroup var options: GlobalOptions

    var request: any ServiceRequest { ServiceQuestion.doctor }
}
