import CleatSettings
import Testing

@testable import CleatAdapters

/// Tests of the reader of `/etc/network/interfaces`, and of the lines that are made comments.
@Suite struct InterfacesFileTests {
    private static let text = """
        # The board's own.
        auto lo
        iface lo inet loopback

        allow-hotplug eth0
        auto eth0
        iface eth0 inet static
        \taddress 192.0.2.5
        \t# The router's network.
        \tnetmask 255.255.255.0
        \tdns-nameservers 192.0.2.53 \\
        \t    192.0.2.54

        iface eth0 inet6 static
            address 2001:db8::5/64
        auto eth1
        iface eth1 inet dhcp
        source-directory /etc/network/interfaces.d

        """

    private static func contents(
        _ text: String, of name: String = "eth0"
    ) -> (settings: [String], obstacles: [String]) {
        let (found, obstacles) = InterfacesFile(text).contents(for: name)
        return (found.values.map { "\($0.key)=\($0.value)" }, obstacles.map { "\($0.line) \($0.text)" })
    }

    @Test("The lines of one interface are made comments, and the same bytes again; others stay")
    func comments() throws {
        let file = InterfacesFile(Self.text)
        let without = file.without("eth0")
        #expect(
            without.contains("\nallow-hotplug eth0\n# cleat eth0: auto eth0\n# cleat eth0: iface eth0 inet static\n"))
        // A continued line is made a comment as a whole, and a comment stays one.
        #expect(without.contains("\n# cleat eth0: \tdns-nameservers 192.0.2.53 \\\n# cleat eth0: \t    192.0.2.54\n"))
        #expect(without.contains("\n\t# The router's network.\n"))
        let taken = InterfacesFile(without)
        #expect(taken.text(of: "eth0") == "" && taken.text(of: "eth1") == file.text(of: "eth1"))
        #expect(taken.without("eth0") == without)
        #expect(taken.restoring("eth0", file.text(of: "eth0")) == Self.text && taken.hasComments(of: "eth0"))
        #expect(!file.hasComments(of: "eth0") && !taken.hasComments(of: "eth"))
        // Both interfaces, and each of them first.
        let both = InterfacesFile(taken.without("eth1"))
        for (one, other) in [("eth0", "eth1"), ("eth1", "eth0")] {
            let first = InterfacesFile(both.restoring(one, file.text(of: one)))
            #expect(first.restoring(other, file.text(of: other)) == Self.text)
        }
        // The comments were removed by hand.
        let lines = file.text(of: "eth1")
        #expect(lines == "auto eth1\niface eth1 inet dhcp\n")
        #expect(InterfacesFile("auto lo").restoring("eth1", lines) == "auto lo\n" + lines)
        // Comments of other lines stay, and so do starts of other interfaces.
        let older =
            "# cleat eth1: iface eth1 inet manual\n# cleat eth1: auto eth1\n# cleat eth1: iface eth1 inet dhcp\n"
        #expect(
            InterfacesFile(older).restoring("eth1", lines) == "# cleat eth1: iface eth1 inet manual\n" + lines)
        let shared = "auto lo eth1\nallow-hotplug eth1\n"
        #expect(InterfacesFile(shared).without("eth1") == shared && InterfacesFile(shared).text(of: "eth1") == "")
    }

    @Test("The settings are those of the lines")
    func settings() throws {
        let (settings, obstacles) = Self.contents(Self.text)
        #expect(obstacles == [])
        #expect(
            settings == [
                "dhcp=false", #"addresses=["192.0.2.5/24","2001:db8::5/64"]"#, #"dns=["192.0.2.53","192.0.2.54"]"#,
            ]
                || settings == [
                    #"addresses=["192.0.2.5/24","2001:db8::5/64"]"#, #"dns=["192.0.2.53","192.0.2.54"]"#,
                ])
        #expect(Self.contents(Self.text, of: "eth1").settings == ["dhcp=true"])
        let more =
            "auto eth0\niface eth0 inet static\naddress 10.0.0.2/8\nnetwork 10.0.0.0\ngateway 10.0.0.1\nmtu 1400\n"
            + "dns-search a.example b.example\niface eth0 inet6 auto\n"
        #expect(
            Self.contents(more).settings.filter { !$0.hasPrefix("dhcp") } == [
                #"addresses=["10.0.0.2/8"]"#, #"gateway="10.0.0.1""#, "mtu=1400", #"search=["a.example","b.example"]"#,
                #"ipv6="auto""#,
            ])
    }

    @Test(
        "What settings cannot express is named with its line",
        arguments: [
            ("iface eth0 inet dhcp", "1 does not start eth0"),
            ("auto eth0\niface eth0 inet dhcp\nmapping eth0", "3 has “mapping eth0”"),
            ("auto eth0\niface eth0 inet dhcp\niface eth0:1 inet static", "3 has “iface eth0:1"),
            ("auto eth0\niface eth0 inet dhcp\niface br0 inherits eth0", "3 has “iface br0 inherits eth0”"),
            ("auto eth0\niface eth0 inet dhcp\n\n  up true", "4 has the option “up”"),
            ("auto eth0\niface eth0 inet ppp", "2 has “inet ppp”"),
            ("auto eth0\niface eth0 inherits x", "2 has “inherits x”"),
            ("auto eth0\niface eth0 inet static", "2 has no address"),
            ("auto eth0\niface eth0 inet static\naddress 1.2.3.4\nnetmask 255.0.255.0", "2 has an address that is not"),
            ("auto eth0\niface eth0 inet static\naddress 1.2.3.4/33", "2 has an address that is not"),
            ("auto eth0\niface eth0 inet static\naddress 1.2.3.4/8\ngateway x", "4 has a gateway"),
            ("auto eth0\niface eth0 inet dhcp\ndns-nameservers host", "3 has a name server"),
            ("auto eth0\r\niface eth0 inet dhcp\r\nmetric 5\r\n", "3 has the option “metric”"),
        ])
    func obstacles(text: String, expected: String) throws {
        #expect(Self.contents(text).obstacles.contains { $0.hasPrefix(expected) }, "\(Self.contents(text))")
    }

    @Test("Any text is read, and 10,000 lines in time")
    func hostile() throws {
        for text in [
            "", "\\", "auto eth0\r\niface eth0 inet dhcp\r\n", "iface", "auto", "\n\n", "  up x", "# a\\\nauto eth0",
            "iface eth0", "auto \\\n\\\n",
        ] {
            let file = InterfacesFile(text)
            #expect(InterfacesFile(file.without("eth0")).restoring("eth0", file.text(of: "eth0")) == text)
        }
        let long = (0..<10_000).map { "iface eth\($0) inet static\n  address 10.0.0.1/8\n" }.joined()
        #expect(InterfacesFile(long).text(of: "eth9999").hasPrefix("iface eth9999"))
    }
}
