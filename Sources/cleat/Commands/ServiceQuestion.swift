import CleatAPI
import CleatJSON
import CleatViews

/// A question to the service, whose answer is printed.
enum ServiceQuestion: ServiceRequest {
    case get(path: String, reveal: Bool = false, asksForDefault: Bool = false)
    case describe(path: String?)
    case why(path: String, reveal: Bool = false)
    case list(prefix: String?, onlySet: Bool = false, reveal: Bool = false)
    case live(prefix: String?, isList: Bool)
    case log(limit: Int = Self.logLimit, before: Int64? = nil)
    case diff(from: Int64?, to: Int64?)
    case status(counters: Bool = false)
    case doctor
    case drift
    case devices(subsystem: String? = nil)
    case links
    case power(all: Bool = false)
    case location
    case snapshots
    case hooks
    case areas

    /// The number of generations that `cleat log` shows.
    static let logLimit = 20

    /// Asks, and prints the answer.
    func run(in context: CommandContext) throws(CommandError) {
        switch self {
        case .get(let path, let reveal, let asksForDefault):
            try GetSetting.run(path, reveal: reveal, asksForDefault: asksForDefault, in: context)
        case .describe(let path):
            let reply = try context.session().call(SettingsInterface.Describe.self, .init(prefix: path))
            try context.console.show(DescriptionView(descriptions: reply.descriptions))
        case .why(let path, let reveal):
            let reply = try context.session().call(
                SettingsInterface.Why.self, .init(path: path, reveal: reveal ? true : nil))
            try context.console.show(WhyView(reply: reply))
        case .list(let prefix, let onlySet, let reveal):
            try Self.list(prefix, onlySet: onlySet, reveal: reveal, in: context)
        case .live(let prefix, let isList):
            let reply = try context.session().call(SystemInterface.Live.self, .init(prefix: prefix))
            try LiveView(reply: reply, prefix: prefix, isList: isList).print(on: context.console)
        case .log(let limit, let before): try Self.log(limit, before, in: context)
        case .diff(let from, let to):
            let reply = try context.session().call(SettingsInterface.Diff.self, .init(from: from, to: to))
            try context.console.show(DifferenceView(reply: reply))
        case .status(let counters):
            let isShort = !counters && context.console.renderer.form == .text
            let reply = try context.session().status(counters: !isShort)
            try context.console.show(StatusView(status: reply, showsCounters: counters))
            if reply.trial?.phase == .revertFailed { throw .alreadyReported(.revertFailed) }
        case .doctor:
            let reply = try context.session().call(SettingsInterface.Doctor.self, .init())
            let view = FindingsView(
                findings: reply.findings, omitted: reply.omitted ?? 0, none: "no problems found",
                json: JSONValue(showing: reply))
            try context.console.show(view)
            if !view.isEmpty { throw .alreadyReported(.failure) }
        case .drift:
            let reply = try context.session().call(SystemInterface.Drift.self, .init())
            try context.console.show(DriftView(drift: reply.drift, failures: reply.failures))
            if !reply.drift.isEmpty || !reply.failures.isEmpty { throw .alreadyReported(.failure) }
        case .devices(let subsystem): try Self.devices(subsystem, in: context)
        case .links:
            let reply = try context.session().call(EventsInterface.Links.self, .init())
            try context.console.show(LinkListView(links: reply.links))
        case .power(let all):
            let reply = try context.session().call(EventsInterface.Power.self, .init(read: true))
            let supplies = reply.supplies.filter { all || $0.scope == .board }
            try context.console.show(SupplyListView(supplies: supplies, others: reply.supplies.count - supplies.count))
        case .location:
            let reply = try context.session().call(EventsInterface.Kept.self, .init())
            try context.console.show(LocationView(location: LocationReport.latest(in: reply.events)))
        case .snapshots:
            let reply = try context.session().call(SnapshotsInterface.List.self, .init())
            try context.console.show(SnapshotListView(reply: reply))
        case .hooks:
            let reply = try context.session().call(HooksInterface.List.self, .init())
            try context.console.show(HookListView(reply: reply))
        case .areas:
            let reply = try context.session().call(FilesInterface.Areas.self, .init())
            try context.console.show(FileAreaView(areas: reply.areas))
        }
    }

    private static func list(
        _ prefix: String?, onlySet: Bool, reveal: Bool, in context: CommandContext
    ) throws(CommandError) {
        var printer = TablePrinter(context.console)
        var list = SettingListView(store: "", generation: 0, settings: [], onlySet: onlySet)
        try context.session().list(
            .init(prefix: prefix, defaults: !onlySet, reveal: reveal ? true : nil)
        ) { (page) throws(CommandError) in
            list.store = page.store
            list.generation = page.generation
            list.settings += page.settings
            list.note = list.note ?? page.note
            if try printer.print(list, rows: list.settings.count) { list.settings = [] }
            return true
        }
        try printer.finish(list)
    }

    private static func log(_ limit: Int, _ before: Int64?, in context: CommandContext) throws(CommandError) {
        let session = try context.session()
        var view = LogView(store: "", generations: [], next: before)
        repeat {
            let wanted = min(limit - view.generations.count, APILimits.generations)
            let reply = try session.call(SettingsInterface.Log.self, .init(before: view.next, limit: wanted))
            view.store = reply.store
            view.generations += reply.generations
            view.next = reply.next
            if reply.generations.isEmpty { break }
        } while view.next != nil && view.generations.count < limit
        try context.console.show(view)
    }

    private static func devices(_ subsystem: String?, in context: CommandContext) throws(CommandError) {
        var printer = TablePrinter(context.console)
        var list = DeviceListView(devices: [])
        try context.session().stream(
            EventsInterface.Devices.self, .init(subsystem: subsystem)
        ) { (page) throws(CommandError) in
            list.devices += page.devices
            if try printer.print(list, rows: list.devices.count) { list.devices = [] }
            return true
        }
        try printer.finish(list)
    }
}
