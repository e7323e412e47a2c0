internal import CleatIO
internal import CleatJSON

/// Finds the service for a call, and turns its result into a message.
struct ServiceRouter: Sendable {
    enum Route: Sendable {
        case refused(VarlinkError)
        case call(VarlinkCall, any VarlinkService)
    }

    /// A method with everything that a call of it needs; a class, because a copy of a structure would retain each part.
    private final class Target: Sendable {
        let interface: String
        let method: VarlinkMethod
        let service: any VarlinkService
        let description: InterfaceDescription

        init(_ method: VarlinkMethod, of description: InterfaceDescription, service: any VarlinkService) {
            interface = description.name
            self.method = method
            self.service = service
            self.description = description
        }
    }

    private let descriptions: [String: InterfaceDescription]
    /// The methods by their names with the interface, so that a call costs one look-up.
    private let targets: [String: Target]
    private let configuration: VarlinkServer.Configuration

    init(_ services: [any VarlinkService], configuration: VarlinkServer.Configuration) {
        self.configuration = configuration
        let introspection = IntrospectionService(describing: services, configuration: configuration)
        var descriptions: [String: InterfaceDescription] = [:]
        var targets: [String: Target] = [:]
        for service in [introspection] + services as [any VarlinkService] {
            let description = service.interface
            guard descriptions[description.name] == nil else { continue }
            descriptions[description.name] = description
            for method in description.methods.values {
                targets["\(description.name).\(method.name)"] = Target(method, of: description, service: service)
            }
        }
        self.descriptions = descriptions
        self.targets = targets
    }

    /// Checks a call: does the method exist, may the client call it, are the parameters valid.
    func route(
        _ incoming: IncomingCall, peer: PeerCredentials, identity: ClientIdentity, memo: ConnectionMemo,
        sink: ServerConnection, serial: UInt64
    ) -> Route {
        guard let target = targets[incoming.method] else { return .refused(unknown(incoming.method)) }
        if let denial = configuration.access(identity, target.interface, target.method.name) { return .refused(denial) }
        if let wrong = target.description.validate(incoming.parameters, against: target.method.parameters) {
            return .refused(.invalidParameter(wrong))
        }
        return .call(
            VarlinkCall(
                interface: target.interface, method: target.method.name, parameters: incoming.parameters,
                more: incoming.more, oneway: incoming.oneway, peer: peer, identity: identity, memo: memo,
                sink: sink, serial: serial),
            target.service)
    }

    private func unknown(_ method: String) -> VarlinkError {
        guard let name = QualifiedName(method) else { return .invalidParameter("method") }
        return descriptions[name.interface] == nil ? .interfaceNotFound(name.interface) : .methodNotFound(method)
    }

    /// Has the service answer a call; turns any error into an error reply.
    ///
    /// Returns nil if the task was cancelled and the service stopped for it.
    func answer(
        _ call: VarlinkCall, _ service: any VarlinkService
    ) async -> [UInt8]? {
        do {
            let reply = try await service.answer(call)
            guard reply.size <= configuration.limits.message else { throw VarlinkSendError(.tooLarge) }
            if configuration.checksReplies,
                let member = service.interface.mismatch(reply: try reply.parameters, of: call.method)
            {
                throw VarlinkReplyMismatch(name: "\(call.interface).\(call.method)", member: member)
            }
            return OutgoingMessage.reply(reply)
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
        guard let description = descriptions[error.interface] else { return error.name }
        return description.mismatch(error: error)
    }
}
