import CleatAPI
import CleatIO
package import CleatJSON
package import CleatVarlink

/// Answers `dev.cleat.Transactions`: which change is on trial, and how it ends.
package struct TransactionsService: VarlinkService {
    package let interface: InterfaceDescription
    private let engine: SettingsEngine
    private let links: @Sendable () async -> [Link]

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - engine: What holds the settings.
    ///   - links: Tells the board's network links, for who comes by one that a change touches.
    /// - Throws: `IDLError` where the interface's own description is broken.
    init(engine: SettingsEngine, links: @escaping @Sendable () async -> [Link]) throws {
        interface = try InterfaceDescription(TransactionsInterface.idl)
        self.engine = engine
        self.links = links
    }

    package func answer(_ call: VarlinkCall) async throws -> JSONObject {
        switch call.method {
        case "Pending":
            _ = try call.parameters(of: TransactionsInterface.Pending.self)
            guard let trial = await engine.trial else {
                return try JSONObject(encoding: TransactionsInterface.Pending.Reply())
            }
            let caller = CallerRoute(
                address: CallerRoute.session(ofProcess: call.peer.pid)?.address, links: await links())
            return try JSONObject(
                encoding: TransactionsInterface.Pending.Reply(trial: trial, reach: await engine.reach(of: caller)))
        case "Confirm":
            let parameters = try call.parameters(of: TransactionsInterface.Confirm.self)
            return try JSONObject(encoding: await engine.confirm(parameters.id))
        case "Abort":
            let parameters = try call.parameters(of: TransactionsInterface.Abort.self)
            return try JSONObject(encoding: await engine.abort(parameters.id, author: call.author))
        case "Wait":
            let parameters = try call.parameters(of: TransactionsInterface.Wait.self)
            return try JSONObject(encoding: await engine.waitForEnd(parameters.id))
        case "Extend":
            let parameters = try call.parameters(of: TransactionsInterface.Extend.self)
            let trial = try await engine.extend(parameters.id, window: parameters.window)
            return try JSONObject(encoding: TransactionsInterface.Extend.Reply(trial: trial))
        default: throw VarlinkError.methodNotImplemented("\(call.interface).\(call.method)")
        }
    }
}
