import CleatJSON

/// The schema of Cleat's built-in settings, in JSON Schema 2020-12.
enum BuiltInSchema {
    /// The compiled schema.
    static let schema: Schema = {
        do {
            return try Schema(json: .object(root), file: "Cleat itself")
        } catch {
            // Only a mistake in the declarations below can fail here, and then every test fails.
            preconditionFailure("the built-in schema is refused: \(error)")
        }
    }()

    private static var root: JSONObject {
        group([
            "agent": group([
                "history": group(["bytes": historyBytes, "generations": historyGenerations]),
                "log": group(["level": logLevel]),
            ]),
            "documents": documents,
            "kernel": group(["attributes": attributes, "sysctl": sysctl]),
            "leds": leds,
            "network": group(["interfaces": interfaces, "wifi": group(["country": country])]),
            "system": group(["hostname": hostname, "timezone": timezone]),
            "time": group(["ntp": group(["enabled": ntpEnabled, "servers": ntpServers])]),
        ])
    }

    private static func group(_ properties: KeyValuePairs<String, JSONObject>) -> JSONObject {
        [
            "type": "object", "properties": .object(JSONObject(properties.map { ($0.key, .object($0.value)) })),
            "additionalProperties": false,
        ]
    }

    private static func map(_ entry: JSONObject, title: String, description: String, keys: JSONObject) -> JSONObject {
        [
            "type": "object", "title": .string(title), "description": .string(description),
            "additionalProperties": .object(entry), "propertyNames": .object(keys), "maxProperties": 4096,
        ]
    }

    /// Returns the schema of a map's keys that must match a pattern.
    private static func keys(matching pattern: String) -> JSONObject {
        ["type": "string", "title": "name", "maxLength": 200, "pattern": .string(pattern)]
    }

    // MARK: System

    private static var hostname: JSONObject {
        [
            "type": "string", "title": "Host name", "description": "The name by which the board calls itself.",
            "default": "board", "examples": ["gateway-7"],
            // JSON Schema's own hostname may be longer than a Linux host name.
            "maxLength": 64, "format": "hostname",
        ]
    }

    private static var timezone: JSONObject {
        [
            "type": "string", "title": "Time zone",
            "description": "A name of the tz database, by which local time is shown.", "default": "UTC",
            "examples": ["Europe/Berlin"], "maxLength": 64,
            // Each part begins with a letter or digit, so that a name of the tz database is safe as a path below
            // zoneinfo.
            "pattern": "^[A-Za-z0-9][A-Za-z0-9_+-]*(/[A-Za-z0-9][A-Za-z0-9_+-]*){0,2}$",
        ]
    }

    private static var ntpEnabled: JSONObject {
        [
            "type": "boolean", "title": "NTP", "description": "True if the clock follows the time servers.",
            "default": true,
        ]
    }

    private static var ntpServers: JSONObject {
        [
            "type": "array", "title": "Time servers",
            "description": "The NTP servers to follow, the first that answers; none means the system's own choice.",
            "default": [], "examples": [["ntp.example.net"]],
            "items": [
                "type": "string", "anyOf": [["format": "hostname"], ["format": "ipv4"], ["format": "ipv6"]],
            ],
            "maxItems": 16, "uniqueItems": true,
        ]
    }

    // MARK: Network

    /// A string that is an IPv4 or an IPv6 address.
    private static let address: JSONObject = ["type": "string", "anyOf": [["format": "ipv4"], ["format": "ipv6"]]]

    private static var interfaces: JSONObject {
        map(
            interface, title: "Network interfaces",
            description: "Settings of each network interface, by its name.",
            keys: ["type": "string", "title": "name", "format": "managed-interface"])
    }

    private static var interface: JSONObject {
        group([
            "addresses": [
                "type": "array", "title": "Addresses", "description": "Fixed addresses with their prefix lengths.",
                "default": [], "examples": [["192.0.2.10/24", "2001:db8::10/64"]],
                "items": ["type": "string", "format": "cidr"], "maxItems": 64, "uniqueItems": true,
            ],
            "bond": group([
                "mode": [
                    "type": "string", "title": "Bond mode",
                    "description": "The way in which the bond uses its ports; unset, balance-rr.",
                    "enum": .array(bondModes),
                ],
                "ports": ports(of: "bond"),
            ]),
            "bridge": group([
                "ports": ports(of: "bridge"),
                "stp": [
                    "type": "boolean", "title": "Spanning tree",
                    "description": "True if the bridge finds loops and breaks them (IEEE 802.1D); unset, false.",
                ],
            ]),
            "dhcp": [
                "type": "boolean", "title": "DHCP",
                "description": "True if addresses are requested by DHCP; unset, only where there are no fixed ones.",
                "default": true,
            ],
            "dns": [
                "type": "array", "title": "DNS servers",
                "description": "The name servers to ask through this interface.", "default": [],
                "examples": [["192.0.2.53"]], "items": .object(address), "maxItems": 8, "uniqueItems": true,
            ],
            "enabled": [
                "type": "boolean", "title": "Enabled", "description": "True if the interface is brought up.",
                "default": true,
            ],
            "gateway": [
                "type": "string", "title": "Gateway", "description": "The router of the default route.",
                "examples": ["192.0.2.1"], "anyOf": [["format": "ipv4"], ["format": "ipv6"]],
            ],
            "ipv6": [
                "type": "string", "title": "IPv6",
                "description":
                    "The use of IPv6: auto also takes addresses of router advertisements, static only fixed ones, off none.",
                "enum": ["auto", "static", "off"],
            ],
            "metric": [
                "type": "integer", "title": "Metric",
                "description":
                    "The metric of the default routes, by the gateway or by DHCP; the least of all interfaces is taken.",
                "examples": [100], "minimum": 1, "maximum": 4_294_967_295,
            ],
            "mtu": [
                "type": "integer", "title": "MTU",
                "description": "The largest packet in bytes; unset, the driver's own.", "examples": [1500],
                // 68 is the minimum for IPv4 (RFC 791, ETH_MIN_MTU); 65535 is the longest IP packet.
                "minimum": 68, "maximum": 65535,
            ],
            "privacy": [
                "type": "boolean", "title": "IPv6 privacy",
                "description": "True if temporary IPv6 addresses are made and preferred (RFC 8981).",
            ],
            "routes": routes,
            "search": [
                "type": "array", "title": "Search domains",
                "description": "The domains in which short host names are looked up.",
                "examples": [["example.org"]],
                "items": [
                    "type": "string", "maxLength": 253,
                    "pattern":
                        "^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$",
                ],
                "maxItems": 16, "uniqueItems": true,
            ],
            "vlan": group([
                "id": [
                    "type": "integer", "title": "VLAN", "description": "The number of the VLAN (IEEE 802.1Q).",
                    "examples": [10], "minimum": 1, "maximum": 4094,
                ],
                "parent": [
                    "type": "string", "title": "Parent", "description": "The interface that carries the VLAN.",
                    "examples": ["eth0"], "format": "managed-interface",
                ],
            ]),
            "wifi": map(
                wifi, title: "Wi-Fi networks",
                description:
                    "The networks that the interface joins, the first in range by priority; by names of your own.",
                keys: keys(matching: "^[A-Za-z0-9][A-Za-z0-9_-]*$")),
        ])
    }

    private static let bondModes: [JSONValue] = [
        "balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb",
    ]

    private static func ports(of type: String) -> JSONObject {
        [
            "type": "array", "title": "Ports",
            "description": .string("The interfaces that make up the \(type); those that appear later are added then."),
            "examples": [["eth1", "eth2"]],
            "items": ["type": "string", "format": "managed-interface"], "maxItems": 64, "uniqueItems": true,
        ]
    }

    private static var country: JSONObject {
        [
            "type": "string", "title": "Country",
            "description":
                "The country whose rules the radios follow (ISO 3166-1); 00 for the rules of the whole world.",
            "examples": ["DE"], "pattern": "^([A-Z]{2}|00)$",
        ]
    }

    private static var wifi: JSONObject {
        group([
            "hidden": [
                "type": "boolean", "title": "Hidden",
                "description": "True if the access point does not announce the network.", "default": false,
            ],
            "passphrase": [
                "type": "string", "title": "Passphrase",
                "description":
                    "The passphrase, 8 to 63 characters of ASCII; or, with WPA2, its 64 digits (wpa_passphrase).",
                // IEEE 802.11, J.4.1.
                "pattern": "^([ -~]{8,63}|[0-9a-fA-F]{64})$", "writeOnly": true,
            ],
            "priority": [
                "type": "integer", "title": "Priority",
                "description": "The network with the greatest number is tried first.", "default": 0, "minimum": 0,
                "maximum": 99,
            ],
            "security": [
                "type": "string", "title": "Security",
                "description": "The security: wpa2, wpa3, or open for a network without a passphrase.",
                "default": "wpa2", "enum": ["wpa2", "wpa3", "open"],
            ],
            "ssid": [
                "type": "string", "title": "Network name", "description": "The name (SSID) of the network.",
                "examples": ["workshop"], "minLength": 1, "maxLength": 32,
            ],
        ])
    }

    private static var routes: JSONObject {
        var route = group([
            "destination": ["type": "string", "format": "cidr"], "gateway": address,
            // The metric has 32 bits; 0 is “none” for IPv4 and the kernel's default for IPv6.
            "metric": ["type": "integer", "minimum": 1, "maximum": 4_294_967_295],
        ])
        route["required"] = ["destination"]
        return [
            "type": "array", "title": "Routes",
            "description": "Static routes to networks, by a gateway or on the link; the least metric is taken.",
            "default": [],
            "examples": [[["destination": "198.51.100.0/24", "gateway": "192.0.2.9", "metric": 100]]],
            "items": .object(route), "maxItems": 64, "uniqueItems": true,
        ]
    }

    // MARK: Kernel and devices

    private static var sysctl: JSONObject {
        map(
            [
                "type": ["boolean", "integer", "string"], "title": "Kernel parameter",
                "description":
                    "A parameter by its name, as sysctl(8) has it: net.ipv4.ip_forward; true and false are 1 and 0.",
                "examples": [1, "4096 87380 6291456"], "maxLength": 4096,
            ],
            title: "Kernel parameters",
            description: "Parameters of the kernel by their names, as sysctl(8) has them: net.ipv4.ip_forward.",
            keys: keys(matching: "^[A-Za-z0-9_][A-Za-z0-9_./:@+-]*$"))
    }

    private static var attributes: JSONObject {
        map(
            [
                "type": ["boolean", "integer", "string"], "title": "Attribute of a device",
                "description":
                    "An attribute by its path below /sys, ~1 for each slash: class~1net~1eth0~1mtu; true and false are 1 and 0.",
                "examples": [1000], "maxLength": 4096,
            ],
            title: "Attributes of devices",
            description:
                "Attributes by their paths below /sys, with ~1 for each slash: class~1net~1eth0~1tx_queue_len.",
            keys: keys(matching: "^(block|class|devices)(/[^/]+)+$"))
    }

    private static var leds: JSONObject {
        map(
            group([
                "brightness": [
                    "type": "integer", "title": "Brightness",
                    "description":
                        "The brightness of the LED, from 0 to its maximum; set alone, nothing triggers the LED.",
                    "examples": [255], "minimum": 0, "maximum": 2_147_483_647,
                ],
                "trigger": [
                    "type": "string", "title": "Trigger",
                    "description": "The trigger that turns the LED on and off: one of those in its file “trigger”.",
                    "examples": ["heartbeat"], "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9_.:+-]+$",
                ],
            ]),
            title: "LEDs", description: "The board's LEDs, by their names below /sys/class/leds.",
            keys: keys(matching: "^[^/]+$"))
    }

    // MARK: Documents and the agent

    /// The files of the area `documents` that belong to the settings.
    private static var documents: JSONObject {
        map(
            [
                "type": "string", "title": "Document",
                "description": "The content of the file, named by its SHA-256; unset restores the former file.",
                "examples": ["sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
                "maxLength": 71, "pattern": "^sha256:[0-9a-f]{64}$",
            ],
            title: "Documents",
            description:
                "Files of the area documents that belong to the settings, by their paths, with ~1 for each slash: "
                + "certs~1ca.pem. 'cleat apply --file' sets them.",
            keys: keys(matching: "^[^/]+(/[^/]+)*$"))
    }

    private static var historyGenerations: JSONObject {
        [
            "type": "integer", "title": "History, generations",
            "description": "The number of generations of settings that are kept.", "default": 1000, "minimum": 1,
            "maximum": 1_000_000,
        ]
    }

    private static var historyBytes: JSONObject {
        [
            "type": "string", "title": "History, size", "description": "The space that the history may take.",
            "default": "16MiB", "examples": ["4MiB"], "minimum": 65_536, "maximum": 4_294_967_296, "format": "bytes",
        ]
    }

    private static var logLevel: JSONObject {
        [
            "type": "string", "title": "Log level",
            "description": "The least severe messages that the service logs.", "default": "info",
            "enum": ["trace", "debug", "info", "notice", "warning", "error", "critical"],
        ]
    }
}
