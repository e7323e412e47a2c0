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
        let streams = context.console.renderer.form == .jsonLines
        var list = DeviceListView(devices: [])
        try context.session().stream(
            EventsInterface.Devices.self, .init(subsystem: subsystem)
        ) { (page) throws(CommandError) in
            if streams {
                try context.console.showItem(DeviceListView(devices: page.devices))
            } else {
                list.devices += page.devices
            }
            return true
        }
        if !streams { try context.console.show(list) }
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
        let reply = try context.session().call(EventsInterface.Links.self, .init())
        try context.console.show(LinkListView(links: reply.links))
    }
}
