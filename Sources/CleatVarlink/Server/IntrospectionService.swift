internal import CleatJSON

/// The service `org.varlink.service`: information on the service, and the descriptions of its interfaces.
struct IntrospectionService: VarlinkService {
    let interface: InterfaceDescription
    private let information: JSONObject
    private let descriptions: [String: String]

    init(describing services: [any VarlinkService], configuration: VarlinkServer.Configuration) {
        interface = .service
        var names = [interface.name]
        var descriptions = [interface.name: interface.text]
        for service in services where descriptions[service.interface.name] == nil {
            names.append(service.interface.name)
            descriptions[service.interface.name] = service.interface.text
        }
        self.descriptions = descriptions
        information = [
            "vendor": .string(configuration.vendor), "product": .string(configuration.product),
            "version": .string(configuration.version), "url": .string(configuration.url),
            "interfaces": .array(names.map { .string($0) }),
        ]
    }

    func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
        switch call.method {
        case "GetInfo":
            return VarlinkReply(information)
        case "GetInterfaceDescription":
            let name = call.parameters["interface"]?.stringValue ?? ""
            guard let text = descriptions[name] else { throw VarlinkError.interfaceNotFound(name) }
            return ["description": .string(text)]
        default:
            throw VarlinkError.methodNotImplemented("\(call.interface).\(call.method)")
        }
    }
}
