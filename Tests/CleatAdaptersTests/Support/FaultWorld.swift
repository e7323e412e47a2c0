import CleatHash
import CleatJSON
import CleatTestSupport
import Testing

@testable import CleatAdapters

/// Settings A and B, and a board on which A is in force and B is about to be, for some of the adapters.
struct FaultWorld: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// True if it has namespaces of its own, as for values of the real kernel, and its files in memory.
    var isApart = false
    /// True if the kernel's values are files below the root directory.
    var hasTreeKernel = false
    /// The adapters that B touches something of, in their order.
    let adapters: [String]
    let a: [(String, JSONValue)]
    let b: [(String, JSONValue)]
    /// The contents of documents that the settings name.
    var documents: [String] = []
    /// Rules of a schema file, which are followed then in the place of what is built in.
    var rules: String?
    /// Puts in place what A finds, below the root directory.
    var prepare: @Sendable (String) throws -> Void = { _ in }

    /// Runs a test's body, in namespaces of its own where it needs them.
    func run(_ body: @escaping @Sendable () throws -> Void) async throws {
        if isApart { try await OwnNamespaces.run(body) } else { try body() }
    }

    /// All of them; on slow boards, where files of one adapter are as those of another, two.
    static let all = Array(
        [system, documents, templates, leds, networkd, ifupdown, networkManager].prefix(
            TestMachine.rounds(7, briefly: 2)))

    /// Host name, time zone, time servers, sysctl and attributes, with a kernel of their own.
    static let system = FaultWorld(
        testDescription: "system", isApart: true,
        adapters: ["host-name", "time-zone", "time-servers", "sysctl", "kernel-attributes"],
        a: [
            ("system/hostname", "old"), ("time/ntp/servers", ["192.0.2.1"]),
            ("kernel/sysctl/net.ipv4.ip_forward", 0), ("kernel/attributes/class~1net~1lo~1tx_queue_len", 1000),
        ],
        b: [
            ("system/hostname", "new.example.org"), ("system/timezone", "Europe/Berlin"), ("time/ntp/enabled", false),
            ("kernel/sysctl/net.ipv4.ip_forward", 1), ("kernel/attributes/class~1net~1lo~1tx_queue_len", 5),
        ]
    ) { root in
        try makeDirectories(root + "/etc/sysctl.d")
        try makeLink(root + "/etc/localtime", to: "../usr/share/zoneinfo/UTC")
        for (path, text) in [
            ("/etc/hosts", "127.0.1.1 first\n"), ("/etc/timezone", "UTC\n"), ("/run/hostname", "first\n"),
            ("/usr/lib/systemd/systemd-timesyncd", "program"),
        ] {
            try makeFile(root + path, text)
        }
        try makeLink(root + "/etc/hostname", to: "../run/hostname")
    }

    /// Files from templates: one with a mode and an owner, one whose directories are missing, one that is removed.
    static let templates = FaultWorld(
        testDescription: "templates", adapters: ["apply:app"],
        a: [("services/web/port", 80), ("ports/a", 1)], b: [("services/web/port", 8080), ("name", "x")],
        rules: """
            [{"file":"/etc/web.conf","escape":"word","template":"port {{services/web/port}}\\n",
              "when":["services/web"],"mode":"0640","owner":"7:8"},
             {"file":"/etc/deep/down/name","escape":"line","template":"{{name}}\\n","when":["name"],"mode":"0600",
              "makeDirectories":true},
             {"file":"/etc/ports","escape":"line","template":"{{#ports}}{{@key}}\\n{{/ports}}","whenEmpty":"remove",
              "when":["ports","services/web"]}]
            """
    ) { root in try makeFile(root + "/etc/web.conf", "mine\n", mode: 0o604) }

    /// Files of systemd-networkd: one changes, one comes, one goes.
    static let networkd = FaultWorld(
        testDescription: "networkd", adapters: ["networkd"], a: interfacesA, b: interfacesB
    ) { root in
        for place in ["/run/systemd/netif/state", "/etc/systemd/system/multi-user.target.wants", "/usr/bin"] {
            try makeDirectories(root + place)
        }
        try makeDirectories(root + "/etc/systemd/system/multi-user.target.wants/systemd-networkd.service")
        try makeFile(root + "/usr/bin/networkctl", "program")
    }

    /// Profiles of NetworkManager: one changes, one comes, one goes; an interface is switched off.
    static let networkManager = FaultWorld(
        testDescription: "NetworkManager", adapters: ["networkmanager"], a: interfacesA,
        b: interfacesB + [("network/interfaces/cleat9/enabled", false)]
    ) { root in
        try makeDirectories(root + "/etc/systemd/system/multi-user.target.wants/NetworkManager.service")
        try makeDirectories(root + "/usr/bin")
        try makeFile(root + "/usr/bin/nmcli", "program")
    }

    /// Files of ifupdown: one changes, one comes, one goes.
    static let ifupdown = FaultWorld(
        testDescription: "ifupdown", adapters: ["ifupdown"], a: interfacesA, b: interfacesB
    ) { root in
        try makeDirectories(root + "/usr/sbin")
        for name in ["ifup", "ifdown"] { try makeFile(root + "/usr/sbin/" + name, "program") }
        try makeDirectories(root + "/etc/network")
        try makeFile(root + "/etc/network/interfaces", "source-directory /etc/network/interfaces.d\n")
    }

    private static let interfacesA: [(String, JSONValue)] = [
        ("network/interfaces/cleat7/addresses", ["192.0.2.1/24"]), ("network/interfaces/cleat9/dhcp", true),
    ]
    private static let interfacesB: [(String, JSONValue)] = [
        ("network/interfaces/cleat7/addresses", ["192.0.2.5/24", "2001:db8::1/64"]),
        ("network/interfaces/cleat8/mtu", 1400),
    ]

    /// LEDs: one gets a trigger, one that blinks the wrong way round a brightness, one goes, and blinks as it did.
    static let leds = FaultWorld(
        testDescription: "leds", hasTreeKernel: true, adapters: ["leds"],
        a: [("leds/green/brightness", 3), ("leds/blue/brightness", 7)],
        b: [("leds/green/trigger", "timer"), ("leds/red:status/brightness", 200)]
    ) { root in
        for name in ["green", "blue", "red:status"] {
            let led = root + "/sys/class/leds/" + name
            try makeDirectories(led)
            try makeFile(led + "/trigger", name == "blue" ? "none heartbeat [timer]\n" : "none [heartbeat] timer\n")
            try makeFile(led + "/brightness", "1\n")
            try makeFile(led + "/max_brightness", "255\n")
        }
        // What comes and goes with a trigger.
        try makeFile(root + "/sys/class/leds/blue/delay_on", "100\n")
        try makeFile(root + "/sys/class/leds/blue/delay_off", "900\n")
        try makeFile(root + "/sys/class/leds/red:status/invert", "1\n")
    }

    /// Files of the area `documents`: one changes, one comes to where directories are missing, one is empty, one goes.
    static let documents = FaultWorld(
        testDescription: "documents", isApart: true, adapters: ["documents"],
        a: [("documents/certs~1ca.pem", value("old CA\n")), ("documents/one", value("1"))],
        b: [
            ("documents/certs~1ca.pem", value("a new CA\n")), ("documents/deep~1down~1here", value("two")),
            ("documents/empty", value("")),
        ],
        documents: ["old CA\n", "1", "a new CA\n", "two", ""]
    ) { root in
        try makeDirectories(root + "/documents")
        try makeFile(root + "/documents/one", "by hand", mode: 0o600)
    }

    private static func value(_ text: String) -> JSONValue {
        .string(DocumentsAdapter.value(SHA256.hexadecimal(of: text.utf8)))
    }
}
