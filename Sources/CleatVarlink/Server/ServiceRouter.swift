internal import CleatIO
internal import CleatJSON

/// Finds who answers a call, and turns what comes of it into a message.
struct ServiceRouter: Sendable {
    enum Route: Sendable {
        case refused(VarlinkError)
        case call(VarlinkCall, any VarlinkService)
    }

    private let services: [String: any VarlinkService]
    private let configuration: VarlinkServer.Configuration

    init(_ services: [any VarlinkService], configuration: VarlinkServer.Configuration) {
        self.configuration = configuration
        let introspection = IntrospectionService(describing: services, configuration: configuration)
        var table: [String: any VarlinkService] = [:]
        for service in services + [introspection] { table[service.interface.name] = service }
        self.services = table
    }

    /// Takes a call through the checks: is there such a method, may the peer call it, do the parameters fit.
    func route(
        _ incoming: IncomingCall, peer: PeerCredentials, sink: any VarlinkReplySink, serial: UInt64
    ) -> Route {
        guard let name = QualifiedName(incoming.method) else { return .refused(.invalidParameter("method")) }
        guard let service = services[name.interface] else { return .refused(.interfaceNotFound(name.interface)) }
        let interface = service.interface
        guard let method = interface.methods[name.member] else { return .refused(.methodNotFound(incoming.method)) }
        if let denial = configuration.access(peer, name.interface, name.member) { return .refused(denial) }
        if let wrong = interface.validate(incoming.parameters, against: method.parameters) {
            return .refused(.invalidParameter(wrong))
        }
        return .call(
            VarlinkCall(
                interface: name.interface, method: name.member, parameters: incoming.parameters, more: incoming.more,
                oneway: incoming.oneway, peer: peer, sink: sink, serial: serial),
            service)
    }

    /// Has a call answered; whatever goes wrong becomes an error for the client.
    ///
    /// Nil where the task was cancelled and the service heeded it.
    func answer(_ call: VarlinkCall, _ service: any VarlinkService) async -> [UInt8]? {
        do {
            let reply = try await service.answer(call)
            if configuration.checksReplies, let member = service.interface.mismatch(reply: reply, of: call.method) {
                throw VarlinkReplyMismatch(name: "\(call.interface).\(call.method)", member: member)
            }
            let message = OutgoingMessage.reply(reply)
            guard message.count <= configuration.limits.message &+ 1 else { throw VarlinkSendError(.tooLarge) }
            return message
        } catch let error as VarlinkError {
            if configuration.checksReplies, let member = mismatch(error) {
                return OutgoingMessage.error(
                    configuration.mapError(VarlinkReplyMismatch(name: error.name, member: member)))
            }
            return OutgoingMessage.error(error)
        } catch {
            if error is CancellationError, Task.isCancelled { return nil }
            return OutgoingMessage.error(configuration.mapError(error))
        }
    }

    private func mismatch(_ error: VarlinkError) -> String? {
        guard let service = services[error.interface] else { return error.name }
        return service.interface.mismatch(error: error)
    }
}
