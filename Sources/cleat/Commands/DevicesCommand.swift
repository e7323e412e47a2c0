import ArgumentParser
import CleatAPI
import CleatViews

/// `cleat devices`.
struct DevicesCommand: ServiceCommand {
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

    func run(in context: CommandContext) throws(CommandError) {
        try ServiceQuestion.devices(subsystem: subsystem).run(in: context)
    }
}

/// `cleat links`.
struct LinksCommand: ServiceCommand {
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

    func run(in context: CommandContext) throws(CommandError) {
        try ServiceQuestion.links.run(in: context)
    }
}

/// `cleat power`.
struct PowerCommand: ServiceCommand {
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

    func run(in context: CommandContext) throws(CommandError) {
        try ServiceQuestion.power(all: all).run(in: context)
    }
}

/// `cleat location`.
struct LocationCommand: ServiceCommand {
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

    func run(in context: CommandContext) throws(CommandError) {
        try ServiceQuestion.location.run(in: context)
    }
}
