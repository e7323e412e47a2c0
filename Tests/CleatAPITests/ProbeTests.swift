import CleatAPI
import CleatTestSupport
import Testing

@Suite("Probes as people write them")
struct ProbeTests {
    @Test(
        "are read, and written in one way",
        arguments: [
            ("link:eth0", "link:eth0"), ("link:br-lan.12", "link:br-lan.12"),
            ("link:fifteen-letters", "link:fifteen-letters"),
            ("address:eth0", "address:eth0"), ("address:192.0.2.7", "address:192.0.2.7"),
            ("address:2001:DB8:0:0::7", "address:2001:db8::7"), ("ping:192.0.2.1", "ping:192.0.2.1"),
            ("ping:fe80::1%eth0", "ping:fe80::1%eth0"), ("ping:::1", "ping:::1"),
            ("tcp:192.0.2.1:22", "tcp:192.0.2.1:22"),
            ("tcp:[2001:db8:0::1]:65535", "tcp:[2001:db8::1]:65535"),
            ("tcp:[fe80::1%wlan0]:1", "tcp:[fe80::1%wlan0]:1"),
            ("tcp:192.0.2.1:0022", "tcp:192.0.2.1:22"), ("command:web-is_up.2@a+b", "command:web-is_up.2@a+b"),
        ])
    func good(text: String, canonical: String) throws {
        let probe = try Probe(text)
        #expect(probe.description == canonical)
        #expect(try Probe(probe.description) == probe)
    }

    @Test(
        "are refused by the reason",
        arguments: [
            ("", "an empty text is not a valid probe"), ("eth0", "is not a valid probe; write link:NAME"),
            (":", "not of a known kind"),
            ("dns:example.org", "not of a known kind"), ("LINK:eth0", "not of a known kind"),
            ("link:", "names no link"),
            ("link:sixteen-letters!", "names no link"), ("link:..", "names no link"), ("link:a/b", "names no link"),
            ("link:a b", "names no link"), ("link:a\nb", "link:a?b names no link"),
            ("address:", "names no link and an address"),
            ("address:256.1.1.1.1.1.1.1", "names no link"), ("ping:", "no address in numbers"),
            ("ping:router.local", "names are not resolved"), ("ping:192.0.2", "no address"),
            ("ping:192.0.2.1%eth0", "IPv4"),
            ("ping:fe80::1%", "names no link"), ("tcp:192.0.2.1", "names no port"), ("tcp:192.0.2.1:", "names no port"),
            ("tcp:192.0.2.1:0", "names no port"), ("tcp:192.0.2.1:65536", "names no port"),
            ("tcp:192.0.2.1:+1", "no port"),
            ("tcp:192.0.2.1:999999999999999999999", "no port"), ("tcp:2001:db8::1:22", "without brackets"),
            ("tcp:[192.0.2.1]:22", "in brackets"), ("tcp:host:22", "names are not resolved"),
            ("tcp:[]:22", "no address"),
            ("command:", "names no command"), ("command:../x", "names no command"), ("command:a b", "names no command"),
            ("command:" + String(repeating: "x", count: 65), "names no command"),
            ("ping:" + String(repeating: "1", count: 200), "more than 128 bytes"),
        ])
    func bad(text: String, reason: String) {
        let error = #expect(throws: ProbeTextError.self) { try Probe(text) }
        let told = error?.description ?? ""
        #expect(told.contains(reason), "\(told)")
        #expect(told.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(told)")
    }

    @Test(
        "never trap, whatever the text, and what is read is read again", arguments: TestMachine.seeds(8, briefly: 1))
    func anything(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let parts = [
            "link:", "address:", "ping:", "tcp:", "command:", "[", "]", ":", "%", "192.0.2.1", "::1", "eth0", "22",
            "\u{0}", "é", ".",
        ]
        for _ in 0..<2_000 {
            let text = (0..<Int(generator.next() % 6)).map { _ in parts[Int(generator.next() % UInt64(parts.count))] }
                .joined()
            guard let probe = try? Probe(text) else { continue }
            #expect(try Probe(probe.description) == probe, "\(text)")
        }
    }
}
