import CleatAPI
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAdapters

/// Tests of the files of Wi-Fi networks, and of the dialogue with wpa_supplicant.
@Suite struct WifiTests {
    private static let home: [(String, JSONValue)] = [
        ("wlan0/wifi/home/ssid", "Käfer; 3"), ("wlan0/wifi/home/passphrase", #" a "quoted\ one "#),
        ("wlan0/wifi/home/priority", 7), ("wlan0/wifi/home/hidden", true),
    ]
    private static let workshop: [(String, JSONValue)] = [
        ("wlan0/wifi/workshop/ssid", "workshop"), ("wlan0/wifi/workshop/passphrase", "correct horse"),
        ("wlan0/wifi/workshop/security", "wpa3"), ("wlan0/wifi/workshop/priority", 9),
    ]
    private static let open: [(String, JSONValue)] = [
        ("wlan0/wifi/cafe/ssid", "cafe"), ("wlan0/wifi/cafe/security", "open"),
    ]

    private static func files(
        _ adapter: any Adapter, _ values: [(String, JSONValue)]
    ) throws -> [(path: String, text: String, isPrivate: Bool)] {
        var found: [(path: String, text: String, isPrivate: Bool)] = []
        for wanted in adapter.desired(try InterfacesAdapterTests.settings(values)).wanted {
            guard case .file(let file) = wanted.state else { continue }
            let text = String(decoding: file.bytes, as: UTF8.self)
            found.append((wanted.resource.path ?? "", text, file.permissions == 0o600))
        }
        return found
    }

    private static func title(of action: AdapterAction) -> String {
        switch action {
        case .command(let command): command.title
        case .interface(let action): action.title
        case .reboot: "reboot"
        }
    }

    private static func reasons(_ values: [(String, JSONValue)]) throws -> [String] {
        NetworkManagerAdapter().desired(try InterfacesAdapterTests.settings(values)).problems.map {
            "\($0.path.name) \($0.reason)"
        }
    }

    @Test("NetworkManager has a profile for each network, all with the addresses of the interface")
    func profiles() throws {
        let found = try Self.files(
            NetworkManagerAdapter(),
            [("wlan0/addresses", ["192.0.2.7/24"]), ("wlan0/mtu", 1400)] + Self.home + Self.workshop)
        let place = "/etc/NetworkManager/system-connections/cleat-wlan0"
        #expect(found.map(\.path) == ["\(place)+workshop.nmconnection", "\(place)+home.nmconnection"])
        #expect(found.allSatisfy { $0.isPrivate && $0.text.contains("[ipv4]\nmethod=manual\naddress1=192.0.2.7/24\n") })
        #expect(Set(found.map { $0.text.split(separator: "\n").first { $0.hasPrefix("uuid=") } }).count == 2)
        #expect(
            found[0].text.contains(
                """
                interface-name=wlan0
                autoconnect-priority=909
                autoconnect-retries=0

                [wifi]
                mtu=1400
                mode=infrastructure
                ssid=119;111;114;107;115;104;111;112;

                [wifi-security]
                key-mgmt=sae
                psk=correct\\shorse

                """), "\(found[0].text)")
        #expect(found[0].text.contains("type=wifi\n") && found[0].text.contains("id=cleat-wlan0-workshop\n"))
        #expect(
            found[1].text.contains(
                "hidden=true\n\n[wifi-security]\nkey-mgmt=wpa-psk\npsk=\\sa\\s\"quoted\\\\\\sone\\s\n"),
            "\(found[1].text)")
        #expect(!(try Self.files(NetworkManagerAdapter(), Self.open)[0].text.contains("[wifi-security]")))
        // A network that is switched off with its interface has no profile.
        #expect(try Self.files(NetworkManagerAdapter(), Self.open + [("wlan0/enabled", false)]).count == 1)
    }

    @Test("A profile of NetworkManager that others have made has the same settings")
    func foreignProfiles() throws {
        for values in [Self.home, Self.workshop, Self.open] {
            let text = try #require(try Self.files(NetworkManagerAdapter(), values).first).text
            let profile = ConnectionProfile(path: "x.nmconnection", text: text)
            let (found, obstacles) = profile.contents(for: InterfaceSettings("wlan0"))
            let wanted = try #require(InterfaceSettings.all(in: try InterfacesAdapterTests.settings(values)).first)
            #expect(obstacles == [])
            var expected = try #require(wanted.wifi.first).named("")
            // It is the profile's own.
            expected.priority = nil
            #expect(found.wifi.map { $0.named("") } == [expected])
        }
        func contents(_ lines: String) -> (InterfaceSettings, obstacles: [String]) {
            ConnectionProfile(path: "x", text: "[connection]\ntype=802-11-wireless\n\(lines)").contents(
                for: InterfaceSettings("wlan0"))
        }
        let (found, obstacles) = contents(
            "[802-11-wireless]\nssid=My Net\\;1\n[802-11-wireless-security]\nkey-mgmt=wpa-psk\npsk=12345678\n")
        #expect(obstacles == [] && found.wifi.map(\.name) == ["My-Net-1"] && found.wifi[0].ssid == "My Net;1")
        #expect(found.wifi[0].security == .wpa2 && found.wifi[0].passphrase == "12345678")
        #expect(
            contents("[wifi]\nssid=a\n[wifi-security]\nkey-mgmt=wpa-psk\n").obstacles == [
                "wifi-security without a passphrase"
            ])
        #expect(
            contents("[wifi]\nssid=a\n[wifi-security]\nkey-mgmt=wpa-eap\npsk=12345678\n").obstacles == [
                "wifi-security.key-mgmt"
            ])
        #expect(contents("[wifi]\nmode=ap\nssid=a\n").obstacles == ["wifi.mode"])
        #expect(contents("[wifi]\nssid=a\\x\n").obstacles == ["wifi.ssid"])
        #expect(contents("[wifi]\nssid=255;254;\n").obstacles == ["wifi.ssid"])
        #expect(contents("").obstacles == ["wifi.ssid"])
    }

    @Test("wpa_supplicant has a file with all networks of the interface, and its unit is enabled")
    func supplicant() throws {
        let adapter = SupplicantAdapter(unit: "/usr/lib/systemd/system/wpa_supplicant@.service")
        let settings = try InterfacesAdapterTests.settings(Self.home + Self.workshop + Self.open)
        let desired = adapter.desired(settings)
        #expect(desired.problems == [])
        let found = try Self.files(adapter, Self.home + Self.workshop + Self.open)
        #expect(found.map(\.path) == ["/etc/wpa_supplicant/wpa_supplicant-wlan0.conf"] && found[0].isPrivate)
        #expect(
            found[0].text
                == """
                # Written by Cleat from network/interfaces/wlan0/wifi.
                ctrl_interface=/run/wpa_supplicant
                update_config=0

                network={
                \tssid=776f726b73686f70
                \tpriority=9
                \tkey_mgmt=SAE
                \tieee80211w=2
                \tsae_password="correct horse"
                }

                network={
                \tssid=4bc3a4666572 3b2033
                \tscan_ssid=1
                \tpriority=7
                \tkey_mgmt=WPA-PSK
                \tpsk=" a "quoted\\ one "
                }

                network={
                \tssid=63616665
                \tkey_mgmt=NONE
                }

                """.replacing("6572 3b", with: "65723b"), "\(found[0].text)")
        #expect(
            desired.wanted.last?.resource
                == .link("/etc/systemd/system/multi-user.target.wants/wpa_supplicant@wlan0.service"))
        let raw = String(repeating: "0a", count: 32)
        let keyed =
            [("wlan-1/wifi/a/ssid", "a"), ("wlan-1/wifi/a/passphrase", JSONValue.string(raw))] as [(String, JSONValue)]
        #expect(try Self.files(adapter, keyed)[0].text.contains("psk=\(raw)\n"))
        let unit = adapter.desired(try InterfacesAdapterTests.settings(keyed)).wanted.last?.resource
        #expect(unit?.path?.hasSuffix("/wpa_supplicant@wlan\\x2d1.service") == true)
        // A started one is waited for; of an interface without networks, it is stopped.
        let changed = Set(desired.wanted.map(\.resource))
        let none = try InterfacesAdapterTests.settings([])
        let start = adapter.actions(from: none, to: settings, changed: changed)
        #expect(
            start.map(Self.title(of:)) == [
                "make systemd reload its units", "start wpa_supplicant of wlan0",
                "make wpa_supplicant read the networks of wlan0",
            ])
        #expect(
            adapter.actions(from: settings, to: none, changed: changed).map(Self.title(of:)) == [
                "make systemd reload its units", "stop wpa_supplicant of wlan0",
            ])
    }

    @Test("Networks that cannot be joined are refused")
    func refusals() throws {
        func reason(_ values: (String, JSONValue)...) throws -> String {
            try Self.reasons(values.map { ("wlan0/wifi/a/\($0.0)", $0.1) }).joined()
        }
        #expect(try reason(("passphrase", "12345678")).hasPrefix("ssid is not set"))
        #expect(try reason(("ssid", "a")).hasPrefix("passphrase is not set"))
        #expect(try reason(("ssid", "a"), ("security", "wpa3")).hasPrefix("passphrase is not set"))
        #expect(try reason(("ssid", "a"), ("security", "open"), ("passphrase", "12345678")).contains("security=open"))
        let name = JSONValue.string(String(repeating: "ä", count: 17))
        #expect(try reason(("ssid", name), ("security", "open")).contains("34 bytes"))
        let key = JSONValue.string(String(repeating: "0", count: 64))
        #expect(try reason(("ssid", "a"), ("security", "wpa3"), ("passphrase", key)).contains("64 digits"))
        #expect(try reason(("ssid", "a"), ("passphrase", key)) == "")
        let schema = Schema.builtIn
        func isValid(_ key: String, _ value: JSONValue) throws -> Bool {
            schema.problems(with: value, at: try SettingPath("network/interfaces/wlan0/wifi/a/\(key)")).isEmpty
        }
        #expect(try isValid("passphrase", "12345678") && !isValid("passphrase", "1234567"))
        #expect(try isValid("passphrase", .string(String(repeating: "x", count: 63))))
        #expect(try !isValid("passphrase", .string(String(repeating: "x", count: 64))))
        #expect(try !isValid("passphrase", "1234567ä") && !isValid("passphrase", "1234567\n"))
        #expect(try !isValid("priority", 100) && isValid("priority", 99))
    }

    /// Answers requests as wpa_supplicant does, sends the events after the list of networks, and ends.
    private static let server = #"""
        import socket, sys
        path, names, events, answers = sys.argv[1], *(eval(word) for word in sys.argv[2:])
        server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        server.bind(path)
        server.settimeout(20)
        while True:
            request, sender = server.recvfrom(4096)
            request = request.decode()
            listed = "network id / ssid / bssid / flags\n" + "".join(f"{i}\t{n}\tany\t\n" for i, n in enumerate(names))
            answer = answers.get(request, listed if request == "LIST_NETWORKS" else "OK\n")
            server.sendto(b"<3>CTRL-EVENT-SCAN-STARTED ", sender)
            server.sendto(answer.encode(), sender)
            if request == "LIST_NETWORKS" or answer == "FAIL\n":
                try:
                    for event in events: server.sendto(event.encode(), sender)
                except ConnectionRefusedError: pass  # It has heard enough.
                break
        """#

    /// Returns the outcome with a wpa_supplicant that lists these networks, and then sends these events.
    private static func outcome(
        listing names: [String], of wanted: [String], _ events: [String], answers: [String: String] = [:]
    ) async throws -> ActionResult.Outcome {
        let board = try TestBoard()
        return try await withLoop { loop in
            let path = board.directory.appending("wlan0")
            func words(_ list: [String]) -> String { "[" + list.map { "\($0.debugDescription)," }.joined() + "]" }
            let pairs = "{" + answers.map { "\($0.key.debugDescription): \($0.value.debugDescription)," }.joined() + "}"
            async let server = loop.run(
                ChildCommand(
                    program: .path("/usr/bin/env"),
                    arguments: ["python3", "-c", server, path, words(names), words(events), pairs],
                    environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], timeout: .seconds(30)))
            let goal = SupplicantGoal(
                interface: "wlan0", file: "/x.conf", names: wanted, isStarting: true, socket: path)
            let outcome = try await ActionRunner(on: loop, board.system).reconfigure(goal)
            #expect(try await server.isSuccess)
            return outcome
        }
    }

    @Test("The events of wpa_supplicant are the outcome: joined, refused, out of range")
    func events() async throws {
        let joined = "<3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:01:00 completed [id=0 id_str=]"
        let refused = #"<3>CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid="a" auth_failures=1 duration=10 reason=WRONG_KEY"#
        let absent = "<3>CTRL-EVENT-NETWORK-NOT-FOUND "
        #expect(try await Self.outcome(listing: ["a"], of: ["a"], [joined]) == .done)
        #expect(try await Self.outcome(listing: ["b", "a"], of: ["a", "b"], ["<", ">", "", joined]) == .done)
        let failed = try await Self.outcome(listing: ["a"], of: ["a"], [refused, joined])
        #expect(
            failed
                == .failed(
                    "Could not join the Wi-Fi network “a”: the access point refuses the passphrase; set the right one.")
        )
        // Another network is joined, or none.
        #expect(try await Self.outcome(listing: ["a", "b"], of: ["a", "b"], [refused, joined]) == .done)
        #expect(try await Self.outcome(listing: ["a", "b"], of: ["a", "b"], [refused, absent]) == failed)
        guard case .waiting(let reason) = try await Self.outcome(listing: ["a"], of: ["a"], [absent]) else {
            Issue.record("not waiting")
            return
        }
        #expect(reason.hasPrefix("no network of wlan0 is in range"))
    }

    @Test("A wpa_supplicant that reads another file, refuses or does not run is named")
    func foreignSupplicant() async throws {
        @Sendable func reason(_ outcome: ActionResult.Outcome) -> String {
            switch outcome {
            case .failed(let reason), .waiting(let reason): reason
            default: "\(outcome)"
            }
        }
        let other = try await Self.outcome(listing: ["a"], of: ["a", "b"], [])
        #expect(reason(other).contains("it reads another file"))
        let refused = try await Self.outcome(listing: [], of: ["a"], [], answers: ["RECONFIGURE": "FAIL\n"])
        #expect(reason(refused).contains("Could not make wpa_supplicant of wlan0 read /x.conf"))
        // Names with bytes that are printed as escapes.
        let name = #"K\xc3\xa4fer \"\\"#
        #expect(try await Self.outcome(listing: [name], of: [#"Käfer "\"#], ["<3>CTRL-EVENT-CONNECTED "]) == .done)
        let board = try TestBoard()
        try await withLoop { loop in
            let goal = SupplicantGoal(
                interface: "wlan0", file: "/x.conf", names: ["a"], isStarting: false, socket: "/nowhere/x")
            let outcome = try await ActionRunner(on: loop, board.system).reconfigure(goal)
            #expect(reason(outcome).contains("wpa_supplicant -i wlan0 -c /x.conf"))
        }
    }
}
