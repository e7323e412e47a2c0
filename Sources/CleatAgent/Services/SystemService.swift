import CleatAPI
import CleatHooks
import CleatIO
package import CleatVarlink

/// Implements `dev.cleat.System`: outside edits of what the service wrote, and reapplying or adopting them.
package struct SystemService: VarlinkService {
    package let interface = InterfaceDescription(constant: SystemInterface.idl)
    private let engine: SettingsEngine
    private let hooks: HookRunner

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - engine: The engine that holds the settings.
    ///   - hooks: The runner that knows which hook a caller belongs to.
    init(engine: SettingsEngine, hooks: HookRunner) {
        self.engine = engine
        self.hooks = hooks
    }

    package func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
        switch call.method {
        case "Drift":
            _ = try call.parameters(of: SystemInterface.Drift.self)
            return await engine.drift().reply
        case "Reapply":
            let parameters = try call.parameters(of: SystemInterface.Reapply.self)
            let cause = await hooks.cause(ofProcess: call.peer.pid)
            return try await engine.reapply(parameters, author: call.author.acting(for: cause), cause: cause).reply
        case "Adopt":
            let parameters = try call.parameters(of: SystemInterface.Adopt.self)
            let cause = await hooks.cause(ofProcess: call.peer.pid)
            return try await engine.adopt(parameters, author: call.author.acting(for: cause), cause: cause).reply
        case "Live":
            let parameters = try call.parameters(of: SystemInterface.Live.self)
            return try await engine.queries.live(under: parameters.prefix).reply
        case "Present":
            _ = try call.parameters(of: SystemInterface.Present.self)
            return try await engine.present(for: call.author).reply
        case "Network":
            _ = try call.parameters(of: SystemInterface.Network.self)
            return try await engine.network().reply
        default: throw VarlinkError.methodNotImplemented("\(call.interface).\(call.method)")
        }
    }
}
