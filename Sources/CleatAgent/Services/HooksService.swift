import CleatAPI
package import CleatHooks
import CleatIO
import CleatObservers
package import CleatVarlink

/// Implements `dev.cleat.Hooks`: the hooks in force, their results, and runs on demand.
package struct HooksService: VarlinkService {
    package let interface = InterfaceDescription(constant: HooksInterface.idl)
    private let hooks: HookRunner
    private let bootID: String

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - hooks: The runner of the hooks.
    ///   - bootID: The id of this boot.
    package init(hooks: HookRunner, bootID: String) {
        self.hooks = hooks
        self.bootID = bootID
    }

    package func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
        switch call.method {
        case "List":
            let reply = await HooksInterface.List.Reply(hooks: hooks.hooks, problems: hooks.problems)
            return reply.reply
        case "Test": return try await test(call).reply
        case "Run": return try await run(call).reply
        case "Pause":
            let name = try call.parameters(of: HooksInterface.Pause.self).name
            try await trying(name) { try await hooks.pause(name) }
            return HooksInterface.Pause.Reply().reply
        case "Resume":
            let name = try call.parameters(of: HooksInterface.Resume.self).name
            try await trying(name) { try await hooks.resume(name) }
            return HooksInterface.Resume.Reply().reply
        default: throw VarlinkError.methodNotImplemented("\(call.interface).\(call.method)")
        }
    }

    private func test(_ call: VarlinkCall) async throws -> HooksInterface.Test.Reply {
        let parameters = try call.parameters(of: HooksInterface.Test.self)
        return try await trying(parameters.name) {
            try await hooks.test(parameters.name, event: try await event(of: parameters))
        }
    }

    private func run(_ call: VarlinkCall) async throws -> HooksInterface.Run.Reply {
        let parameters = try call.parameters(of: HooksInterface.Run.self)
        return try await trying(parameters.name) {
            try await hooks.run(
                parameters.name, event: try await event(of: parameters), isForced: parameters.force ?? false)
        }
    }

    private func trying<Reply>(_ name: String, _ body: () async throws -> Reply) async throws -> Reply {
        do {
            return try await body()
        } catch let error as HookTestError {
            throw APIError.unknownHook(name: name, message: error.description)
        }
    }

    /// Creates a test event: members that the caller omits are taken from the hook's match, where that is a plain word.
    private func event(of parameters: HooksInterface.TestEvent) async throws -> Event {
        guard let hook = await hooks.hooks.first(where: { $0.name == parameters.name }) else {
            throw APIError.unknownHook(
                name: parameters.name,
                message: "no hook in force is called \(parameters.name); 'cleat hook list' shows them")
        }
        func plain(_ pattern: String?) -> String? {
            pattern.flatMap { try? HookPattern($0) }?.word
        }
        let name = parameters.source ?? plain(hook.match.source) ?? EventSource.agent.rawValue
        guard let source = EventSource(rawValue: name) else { throw VarlinkError.invalidParameter("source") }
        var properties = hook.match.properties.compactMapValues(plain)
        properties.merge(parameters.properties ?? [:]) { $1 }
        let stamp = EventStamp.now()
        return Event(
            sequence: 0, source: source, action: parameters.action ?? plain(hook.match.action) ?? "test",
            subject: parameters.subject ?? plain(hook.match.subject) ?? "test", properties: properties,
            time: stamp.time.description, bootID: bootID, bootTime: stamp.bootTime.milliseconds,
            synchronised: stamp.synchronised)
    }
}
