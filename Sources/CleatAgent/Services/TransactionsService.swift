import CleatAPI
import CleatIO
package import CleatVarlink

/// Implements `dev.cleat.Transactions`: the change on trial, and its end.
package struct TransactionsService: VarlinkService {
    package let interface = InterfaceDescription(constant: TransactionsInterface.idl)
    private let engine: SettingsEngine
    private let links: @Sendable () async -> [Link]

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - engine: The engine that holds the settings.
    ///   - links: Returns the board's network links, for a caller that is connected by one that a change touches.
    init(engine: SettingsEngine, links: @escaping @Sendable () async -> [Link]) {
        self.engine = engine
        self.links = links
    }

    package func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
        switch call.method {
        case "Pending":
            _ = try call.parameters(of: TransactionsInterface.Pending.self)
            guard let trial = await engine.trial else {
                return TransactionsInterface.Pending.Reply().reply
            }
            let caller = CallerRoute(
                address: call.session?.address, links: await links())
            return TransactionsInterface.Pending.Reply(trial: trial, reach: await engine.reach(of: caller)).reply
        case "Confirm":
            let parameters = try call.parameters(of: TransactionsInterface.Confirm.self)
            return try await engine.confirm(parameters.id).reply
        case "Abort":
            let parameters = try call.parameters(of: TransactionsInterface.Abort.self)
            return try await engine.abort(parameters.id, author: call.author).reply
        case "Wait":
            let parameters = try call.parameters(of: TransactionsInterface.Wait.self)
            return try await engine.waitForEnd(parameters.id).reply
        case "Extend":
            let parameters = try call.parameters(of: TransactionsInterface.Extend.self)
            let trial = try await engine.extend(parameters.id, window: parameters.window)
            return TransactionsInterface.Extend.Reply(trial: trial).reply
        default: throw VarlinkError.methodNotImplemented("\(call.interface).\(call.method)")
        }
    }
}
