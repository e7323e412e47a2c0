import CleatAPI
package import CleatHooks
import CleatIO
package import CleatObservers
package import CleatVarlink

/// Implements `dev.cleat.Events`: events as they happen, and the present devices and links.
package struct EventsService: VarlinkService {
    /// The maximum number of events that a subscriber may lose in a row before it is disconnected: its view is no
    /// longer current.
    static let lossLimit = 8 * EventBus.standardBuffer
    private static let devicesPerPage = 64

    package let interface = InterfaceDescription(constant: EventsInterface.idl)
    private let bus: EventBus
    private let observation: Observation
    private let hooks: HookRunner

    /// Creates the service.
    package init(bus: EventBus, observation: Observation, hooks: HookRunner) {
        self.bus = bus
        self.observation = observation
        self.hooks = hooks
    }

    package func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
        switch call.method {
        case "Subscribe": try await subscribe(call)
        case "Devices": try await devices(call)
        case "Kept":
            await EventsInterface.Kept.Reply(
                events: observation.appObserver.keptEvents.map { $0.event(bootID: bus.bootID) }
            ).reply
        case "Emit": try await emit(call)
        case "Power":
            await EventsInterface.Power.Reply(
                supplies: observation.powerObserver.supplies(
                    now: try call.parameters(of: EventsInterface.Power.self).read ?? false)
            ).reply
        case "Links": await EventsInterface.Links.Reply(links: observation.links()).reply
        default: throw VarlinkError.methodNotImplemented("\(call.interface).\(call.method)")
        }
    }

    private func subscribe(_ call: VarlinkCall) async throws -> VarlinkReply {
        try call.requireMore()
        let parameters = try call.parameters(of: EventsInterface.Subscribe.self)
        let filter = try filter(of: parameters)
        var place: (instance: String, sequence: Int64)?
        if let instance = parameters.instance { place = (instance, parameters.after ?? 0) }
        let subscription = bus.subscribe(matching: filter, after: place)
        defer { subscription.finish() }
        if filter.sources?.contains(.power) ?? false { observation.powerObserver.readAgain() }

        try await call.send(reply: EventsInterface.Subscribe.Reply(instance: bus.instance))
        if place != nil, !subscription.resumed {
            for event in await observation.presentEvents(matching: filter) {
                try await call.send(reply: EventsInterface.Subscribe.Reply(instance: bus.instance, event: event))
            }
        }
        var lostInARow = 0
        while let delivery = await subscription.next() {
            switch delivery {
            case .event(let record):
                lostInARow = max(0, lostInARow - 1)
                try await call.send(
                    reply: EventsInterface.Subscribe.Reply(
                        instance: bus.instance, event: record.event(bootID: bus.bootID)))
            case .lost(let count):
                lostInARow += count
                guard lostInARow <= Self.lossLimit else {
                    throw APIError.tooSlow(
                        lost: Int64(lostInARow),
                        message: "\(lostInARow) events were lost because they were not read in time; subscribe again")
                }
                try await call.send(
                    reply: EventsInterface.Subscribe.Reply(instance: bus.instance, lost: Int64(count)))
            }
        }
        throw CancellationError()
    }

    private func emit(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: EventsInterface.Emit.self)
        let emitter = AppObserver.Emitter(
            uid: call.identity.uid, name: UserDatabase.name(of: call.identity.uid),
            cause: await hooks.cause(ofProcess: call.peer.pid))
        let event = AppEvent(
            action: parameters.action, subject: parameters.subject, properties: parameters.properties ?? [:])
        let sequence = try await observation.appObserver.emit(event, keep: parameters.keep, by: emitter)
        return EventsInterface.Emit.Reply(instance: bus.instance, sequence: sequence).reply
    }

    private func filter(of parameters: EventsInterface.Subscribe.Parameters) throws -> EventFilter {
        var filter = EventFilter()
        if let sources = parameters.sources {
            filter.sources = try Set(
                sources.map { name in
                    guard let source = EventSource(rawValue: name) else {
                        throw VarlinkError.invalidParameter("sources")
                    }
                    return source
                })
        }
        filter.action = try parameters.action.map { text in try glob(text, parameter: "action") }
        filter.subject = try parameters.subject.map { text in try glob(text, parameter: "subject") }
        return filter
    }

    private func glob(_ text: String, parameter: String) throws -> Glob {
        guard let glob = Glob(text) else { throw VarlinkError.invalidParameter(parameter) }
        return glob
    }

    private func devices(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: EventsInterface.Devices.self)
        var after = parameters.after
        while true {
            let (devices, end) = await observation.devices(
                subsystem: parameters.subsystem, after: after, limit: Self.devicesPerPage)
            let page = EventsInterface.Devices.Reply(devices: devices, next: end)
            guard call.more, let next = page.next else { return page.reply }
            try await call.send(reply: page)
            after = next
        }
    }
}
