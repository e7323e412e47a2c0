import CleatJSON

extension Schema {
    /// The schema of Cleat's built-in settings.
    package static let builtIn: Schema = {
        do {
            return try Schema(json: Schema(root: declared).json, file: "Cleat itself")
        } catch {
            // Only a mistake in the declarations below can fail here, and then every test fails.
            preconditionFailure("the built-in schema is refused: \(error)")
        }
    }()

    private static var declared: SchemaNode {
        group([
            ("system", group([("hostname", hostname), ("timezone", timezone)])),
            ("time", group([("ntp", group([("enabled", ntpEnabled), ("servers", ntpServers)]))])),
            ("network", group([("interfaces", interfaces)])),
            ("kernel", kernel), ("leds", leds), ("documents", documents),
            (
                "agent",
                group([
                    ("history", group([("generations", historyGenerations), ("bytes", historyBytes)])),
                    ("log", group([("level", logLevel)])),
                ])
            ),
        ])
    }

    private static func group(_ properties: [(String, SchemaNode)]) -> SchemaNode {
        SchemaNode(.object, object: SchemaNode.ObjectRules(sorting: properties))
    }

    private static var hostname: SchemaNode {
        SchemaNode(
            .string, title: "Host name", description: "The name by which the board calls itself.", default: "board",
            examples: ["gateway-7"], string: SchemaNode.StringRules(format: .hostname))
    }

    private static var timezone: SchemaNode {
        // Each part begins with a letter or digit, so that a name of the tz database is safe as a path below zoneinfo.
        let pattern = try? Pattern("^[A-Za-z0-9][A-Za-z0-9_+-]*(/[A-Za-z0-9][A-Za-z0-9_+-]*){0,2}$")
        return SchemaNode(
            .string, title: "Time zone", description: "A name of the tz database, by which local time is shown.",
            default: "UTC", examples: ["Europe/Berlin"],
            string: SchemaNode.StringRules(maxLength: 64, pattern: pattern))
    }

    private static var ntpEnabled: SchemaNode {
        SchemaNode(
            .boolean, title: "NTP", description: "Whether the clock follows the time servers.", default: true)
    }

    private static var ntpServers: SchemaNode {
        SchemaNode(
            .array, title: "Time servers",
            description: "The NTP servers to follow, the first that answers; none means the system's own choice.",
            default: [], examples: [["ntp.example.net"]],
            array: SchemaNode.ArrayRules(items: string(.host), maxItems: 16, uniqueItems: true))
    }

    private static func string(_ format: SettingFormat, title: String? = nil) -> SchemaNode {
        SchemaNode(.string, title: title, string: SchemaNode.StringRules(format: format))
    }

    private static var interfaces: SchemaNode {
        SchemaNode(
            .object, title: "Network interfaces", description: "Settings of each network interface, by its name.",
            object: SchemaNode.ObjectRules(
                additional: .entries(interface), propertyNames: string(.managedInterface, title: "name"),
                maxProperties: 4096))
    }

    private static var interface: SchemaNode {
        group([
            (
                "enabled",
                SchemaNode(
                    .boolean, title: "Enabled", description: "Whether the interface is brought up.", default: true)
            ),
            (
                "dhcp",
                SchemaNode(
                    .boolean, title: "DHCP",
                    description: "Whether addresses are asked for by DHCP; unset, only where there are no fixed ones.",
                    default: true)
            ),
            (
                "addresses",
                SchemaNode(
                    .array, title: "Addresses", description: "Fixed addresses with their prefix lengths.", default: [],
                    examples: [["192.0.2.10/24", "2001:db8::10/64"]],
                    array: SchemaNode.ArrayRules(items: string(.cidr), maxItems: 64, uniqueItems: true))
            ),
            (
                "gateway",
                SchemaNode(
                    .string, title: "Gateway", description: "The router of the default route.",
                    examples: ["192.0.2.1"], string: SchemaNode.StringRules(format: .ip))
            ),
            (
                "dns",
                SchemaNode(
                    .array, title: "DNS servers", description: "The name servers to ask through this interface.",
                    default: [], examples: [["192.0.2.53"]],
                    array: SchemaNode.ArrayRules(items: string(.ip), maxItems: 8, uniqueItems: true))
            ),
            (
                "mtu",
                SchemaNode(
                    // 68 is the minimum for IPv4 (RFC 791, ETH_MIN_MTU); 65535 is the longest IP packet.
                    .integer, title: "MTU", description: "The largest packet in bytes; unset, the driver's own.",
                    examples: [1500], number: SchemaNode.NumberRules(minimum: 68, maximum: 65535))
            ),
            ("routes", routes),
        ])
    }

    private static var routes: SchemaNode {
        let members = group([
            ("destination", string(.cidr)), ("gateway", string(.ip)),
            (
                "metric",
                // The metric has 32 bits; 0 is “none” for IPv4 and the kernel's default for IPv6.
                SchemaNode(.integer, number: SchemaNode.NumberRules(minimum: 1, maximum: .integer(4_294_967_295)))
            ),
        ])
        var rules = members.object
        rules.required = ["destination"]
        return SchemaNode(
            .array, title: "Routes",
            description: "Static routes to networks, by a gateway or on the link; the least metric is taken.",
            default: [], examples: [[["destination": "198.51.100.0/24", "gateway": "192.0.2.9", "metric": 100]]],
            array: SchemaNode.ArrayRules(items: SchemaNode(.object, object: rules), maxItems: 64, uniqueItems: true))
    }

    private static var historyGenerations: SchemaNode {
        SchemaNode(
            .integer, title: "History, generations", description: "How many generations of settings are kept.",
            default: 1000, number: SchemaNode.NumberRules(minimum: 1, maximum: 1_000_000))
    }

    private static var historyBytes: SchemaNode {
        SchemaNode(
            .string, title: "History, size", description: "How much room the history may take.", default: "16MiB",
            examples: ["4MiB"],
            number: SchemaNode.NumberRules(minimum: .integer(64 << 10), maximum: .integer(4 << 30)),
            string: SchemaNode.StringRules(format: .bytes))
    }

    private static var logLevel: SchemaNode {
        SchemaNode(
            .string, title: "Log level", description: "The least severe messages that the service logs.",
            default: "info", enumeration: ["trace", "debug", "info", "notice", "warning", "error", "critical"])
    }
}

extension SchemaNode.ObjectRules {
    init(sorting properties: [(String, SchemaNode)]) {
        self.properties = properties.map { (name: $0.0, node: $0.1) }.sorted { ByteOrder.precedes($0.name, $1.name) }
    }
}
