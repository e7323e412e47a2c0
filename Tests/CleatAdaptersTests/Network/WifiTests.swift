import CleatAPI
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAdapters

#if canImport(Glibc)
    import Glibc
#endif

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
            // Cleat's own would be preferred no more.
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("autoconnect-priority") }
            let profile = ConnectionProfile(path: "x.nmconnection", text: lines.joined(separator: "\n"))
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
                \tid_str="cleat"
                \tpriority=9
                \tkey_mgmt=SAE
                \tieee80211w=2
                \tsae_password="correct horse"
                }

                network={
                \tssid=4bc3a4666572 3b2033
                \tid_str="cleat"
                \tscan_ssid=1
                \tpriority=7
                \tkey_mgmt=WPA-PSK
                \tpsk=" a "quoted\\ one "
                }

                network={
                \tssid=63616665
                \tid_str="cleat"
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
        let changed = Set(desired.wanted.map(\.resource))
        let none = try InterfacesAdapterTests.settings([])
        for (old, new) in [(none, settings), (settings, none), (nil, settings)] {
            #expect(
                adapter.actions(from: old, to: new, changed: changed).map(Self.title(of:)) == [
                    "make systemd reload its units", "make wpa_supplicant read the networks of wlan0",
                ])
        }
        #expect(adapter.mayDisconnect(try #require(desired.wanted.first).resource))
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

    /// Answers requests as wpa_supplicant does, sends the events after the question for the mark, and ends.
    private static let server = #"""
        import socket, sys
        path, events, answers = sys.argv[1], *(eval(word) for word in sys.argv[2:])
        server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        server.bind(path)
        server.settimeout(20)
        answers = {"GET_NETWORK 0 id_str": '"cleat"', **answers}
        last = "STATUS" if "silence" in answers.values() else "GET_NETWORK"
        while True:
            request, sender = server.recvfrom(4096)
            request = request.decode()
            answer = answers.get(request, "OK\n")
            server.sendto(b"<3>CTRL-EVENT-SCAN-STARTED ", sender)
            if answer == "silence": continue
            server.sendto(answer.encode(), sender)
            if request.startswith(last) or answer == "FAIL\n":
                try:
                    for event in events: server.sendto(event.encode(), sender)
                except ConnectionRefusedError: pass  # It has heard enough.
                break
        """#

    /// Returns the outcome with a wpa_supplicant that sends these events.
    private static func outcome(
        _ networks: Int, _ events: [String], answers: [String: String] = [:]
    ) async throws -> ActionResult.Outcome {
        let board = try TestBoard { root in try makeDirectories("\(root)/sys/class/net/wlan0") }
        return try await withLoop { loop in
            let path = board.directory.appending("wlan0")
            let list = "[" + events.map { "\($0.debugDescription)," }.joined() + "]"
            let pairs = "{" + answers.map { "\($0.key.debugDescription): \($0.value.debugDescription)," }.joined() + "}"
            async let server = loop.run(
                ChildCommand(
                    program: .path("/usr/bin/env"), arguments: ["python3", "-c", server, path, list, pairs],
                    environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], timeout: .seconds(30)))
            // It answers before the action begins.
            while unsafe access(path, F_OK) != 0 { try await loop.sleep(for: .milliseconds(10)) }
            var goal = SupplicantGoal(interface: "wlan0", file: "/x.conf")
            (goal.networks, goal.socket) = (networks, path)
            let outcome = try await ActionRunner(on: loop, board.system).reconfigure(goal)
            _ = try await server
            return outcome
        }
    }

    private static func reason(_ outcome: ActionResult.Outcome) -> String {
        switch outcome {
        case .failed(let reason): "failed: \(reason)"
        case .waiting(let reason): "waiting: \(reason)"
        default: "\(outcome)"
        }
    }

    private static let joined =
        "<3>CTRL-EVENT-CONNECTED - Connection to 02:00:00:00:01:00 completed [id=0 id_str=cleat]"
    private static let absent = "<3>CTRL-EVENT-NETWORK-NOT-FOUND "

    private static func disabled(_ reason: String) -> String {
        #"<3>CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid="a" auth_failures=1 duration=10 reason="# + reason
    }

    @Test("The events of wpa_supplicant are the outcome: joined, refused, out of range")
    func events() async throws {
        let refused = Self.disabled("WRONG_KEY")
        #expect(try await Self.outcome(1, [Self.joined]) == .done)
        #expect(try await Self.outcome(2, ["<", ">", "", Self.joined]) == .done)
        let failed = try await Self.outcome(1, [refused, Self.joined])
        #expect(
            Self.reason(failed)
                == "failed: Could not join the Wi-Fi network “a”: the access point refuses the passphrase; set the right one."
        )
        // Another network is joined, or none.
        #expect(try await Self.outcome(2, [refused, Self.joined]) == .done)
        #expect(try await Self.outcome(2, [refused, Self.absent, Self.absent]) == failed)
        #expect(try await Self.outcome(1, [Self.absent, Self.joined]) == .done)
        // WPA3 has another sign; the next attempt may succeed.
        let rejected = "<3>CTRL-EVENT-AUTH-REJECT 02:00:00:00:01:00 auth_type=3 auth_transaction=2 status_code=1"
        #expect(try await Self.outcome(1, [rejected, Self.joined]) == .done)
        let twice = try await Self.outcome(1, [rejected, rejected, Self.joined])
        #expect(Self.reason(twice).hasPrefix("failed: ") && Self.reason(twice).contains("refuses the passphrase"))
        #expect(try await Self.outcome(1, [Self.disabled("CONN_FAILED"), Self.joined]) == .done)
        let refusal = try await Self.outcome(1, [Self.disabled("CONN_FAILED"), Self.absent, Self.absent])
        #expect(Self.reason(refusal).hasSuffix("the access point refuses the connection."))
        #expect(
            Self.reason(try await Self.outcome(1, [Self.absent, Self.absent])).hasPrefix(
                "waiting: no network of wlan0 is in range"))
    }

    @Test("A wpa_supplicant that reads another file, refuses or does not run is named")
    func foreignSupplicant() async throws {
        let mark = "GET_NETWORK 0 id_str"
        for answer in ["FAIL\n", "\"other\""] {
            let other = try await Self.outcome(1, [], answers: [mark: answer])
            #expect(Self.reason(other).contains("reads another file than /x.conf"))
        }
        let refused = try await Self.outcome(1, [], answers: ["RECONFIGURE": "FAIL\n"])
        #expect(Self.reason(refused).contains("failed: Could not make wpa_supplicant of wlan0 read /x.conf"))
        // With another socket in its file, the answer is lost.
        #expect(try await Self.outcome(1, [Self.joined], answers: ["RECONFIGURE": "silence"]) == .done)
        // Without networks of Cleat, those of a restored file count, or none.
        let removal = try await Self.outcome(0, [], answers: ["REMOVE_NETWORK all": "FAIL\n"])
        #expect(Self.reason(removal).contains("refuses “REMOVE_NETWORK all”"))
        let board = try TestBoard { root in try makeDirectories("\(root)/sys/class/net/wlan0") }
        try await withLoop { loop in
            let runner = ActionRunner(on: loop, board.system)
            var goal = SupplicantGoal(interface: "wlan0", file: "/x.conf")
            (goal.networks, goal.socket) = (1, "/nowhere/x")
            #expect(Self.reason(try await runner.reconfigure(goal)).hasSuffix("wpa_supplicant -i wlan0 -c /x.conf"))
            goal.networks = 0
            #expect(try await runner.reconfigure(goal) == .done)
            let absence = try await runner.reconfigure(SupplicantGoal(interface: "wlan9", file: "/x.conf"))
            #expect(Self.reason(absence).hasPrefix("waiting: "))
        }
    }
}
