import CleatJSON

extension Schema {
    /// The kernel's parameters and attributes.
    static var kernel: SchemaNode {
        SchemaNode(
            .object,
            object: SchemaNode.ObjectRules(sorting: [("sysctl", sysctl), ("attributes", attributes)]))
    }

    private static var sysctl: SchemaNode {
        map(
            title: "Kernel parameters",
            description: "Parameters of the kernel by their names, as sysctl(8) has them: net.ipv4.ip_forward.",
            entry: SchemaNode(
                [.boolean, .integer, .string], title: "Kernel parameter",
                description:
                    "A parameter by its name, as sysctl(8) has it: net.ipv4.ip_forward; true and false are 1 and 0.",
                examples: [1, "4096 87380 6291456"], string: SchemaNode.StringRules(maxLength: 4096)),
            name: "^[A-Za-z0-9_][A-Za-z0-9_./:@+-]*$")
    }

    private static var attributes: SchemaNode {
        map(
            title: "Attributes of devices",
            description:
                "Attributes by their paths below /sys, with ~1 for each slash: class~1net~1eth0~1tx_queue_len.",
            entry: SchemaNode(
                [.boolean, .integer, .string], title: "Attribute of a device",
                description:
                    "An attribute by its path below /sys, ~1 for each slash: class~1net~1eth0~1mtu; true and false are 1 and 0.",
                examples: [1000], string: SchemaNode.StringRules(maxLength: 4096)),
            name: "^(block|class|devices)(/[^/]+)+$")
    }

    /// The LEDs of the board.
    static var leds: SchemaNode {
        map(
            title: "LEDs", description: "The board's LEDs, by their names below /sys/class/leds.",
            entry: SchemaNode(
                .object,
                object: SchemaNode.ObjectRules(sorting: [("brightness", brightness), ("trigger", trigger)])),
            name: "^[^/]+$")
    }

    private static var brightness: SchemaNode {
        SchemaNode(
            .integer, title: "Brightness",
            description: "How bright the LED is, from 0 to what it has at most; set alone, nothing triggers the LED.",
            examples: [255], number: SchemaNode.NumberRules(minimum: 0, maximum: .integer(Int64(Int32.max))))
    }

    private static var trigger: SchemaNode {
        SchemaNode(
            .string, title: "Trigger",
            description: "What turns the LED on and off: one of those in its file “trigger”.",
            examples: ["heartbeat"],
            string: SchemaNode.StringRules(
                minLength: 1, maxLength: 64, pattern: try? Pattern("^[A-Za-z0-9_.:+-]+$")))
    }

    /// The files of the area `documents` that belong to the settings.
    static var documents: SchemaNode {
        map(
            title: "Documents",
            description:
                "Files of the area documents that belong to the settings, by their paths, with ~1 for each slash: "
                + "certs~1ca.pem. 'cleat apply --file' sets them.",
            entry: SchemaNode(
                .string, title: "Document",
                description: "What the file holds, named by its SHA-256; unset brings back what was there before.",
                examples: ["sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
                string: SchemaNode.StringRules(maxLength: 71, pattern: try? Pattern("^sha256:[0-9a-f]{64}$"))),
            name: "^[^/]+(/[^/]+)*$")
    }

    private static func map(title: String, description: String, entry: SchemaNode, name: String) -> SchemaNode {
        SchemaNode(
            .object, title: title, description: description,
            object: SchemaNode.ObjectRules(
                additional: .entries(entry),
                propertyNames: SchemaNode(
                    .string, title: "name", string: SchemaNode.StringRules(maxLength: 200, pattern: try? Pattern(name))),
                maxProperties: 4096))
    }
}
