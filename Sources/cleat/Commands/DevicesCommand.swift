import ArgumentParser
import CleatAPI
import CleatViews

/// `cleat devices`.
struct DevicesCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the devices of the board.",
        usage: "cleat devices [<options>]",
        discussion: """
            Examples:
              cleat devices
              cleat devices --subsystem block
              cleat devices --output json-lines
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: .init("Only devices of this subsystem.", valueName: "name"))
    var subsystem: String?

    var request: any ServiceRequest { ServiceQuestion.devices(subsystem: subsystem) }
}

/// `cleat links`.
struct LinksCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "links",
        abstract: "List the network links of the board.",
        usage: "cleat links [<options>]",
        discussion: """
            Examples:
              cleat links
              cleat links --output json
            """)

    @OptionGroup var options: GlobalOptions

    var request: any ServiceRequest { ServiceQuestion.links }
}

/// `cleat power`.
struct PowerCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "power",
        abstract: "List the power supplies of the board.",
        usage: "cleat power [<options>]",
        discussion: """
            The supplies are read now. The charge names the value that it was calculated from, if the driver reports no percentage. \
            The batteries of mice and other devices are listed with --all. Changes are events of the source power.

            Examples:
              cleat power
              cleat power --all --output json
              cleat events --source power
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Also the supplies of devices of their own, such as mice.")
    var all = false

    var request: any ServiceRequest { ServiceQuestion.power(all: all) }
}

/// `cleat location`.
struct LocationCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "location",
        abstract: "Show the location of the board.",
        usage: "cleat location [<options>]",
        discussion: """
            A program on the board publishes it, such as cleat-location, with the user that is shown. Changes are \
            events of the source app with the subject location.

            Examples:
              cleat location
              cleat location --output json
              cleat events --source app --subject location
            """)

    @OptionGroup var options: GlobalOptions

    var request: any ServiceRequest { ServiceQuestion.location }
}
