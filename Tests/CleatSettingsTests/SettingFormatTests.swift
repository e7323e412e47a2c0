import CleatTestSupport
import Testing

@testable import CleatSettings

@Suite struct SettingFormatTests {
    @Test(arguments: [
        (
            SettingFormat.hostname,
            ["board", "b", "7", "a-b", "a.b.c", "EXAMPLE.net", "3com", String(repeating: "a", count: 63)]
        ),
        (
            .host,
            [
                "ntp.example.net", "192.0.2.1", "2001:db8::1",
                Array(repeating: String(repeating: "a", count: 62), count: 4).joined(separator: "."),
            ]
        ),
        (.ipv4, ["0.0.0.0", "192.0.2.1", "255.255.255.255"]),
        (
            .ipv6,
            [
                "::", "::1", "1::", "2001:db8::1", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8",
                "::ffff:192.0.2.1",
                "64:ff9b::192.0.2.33", "1:2:3:4:5:6:192.0.2.1", "FE80::ABCD", "0:0:0:0:0:0:0:0",
            ]
        ),
        (.ip, ["192.0.2.1", "::1"]),
        (.cidr, ["192.0.2.1/24", "0.0.0.0/0", "192.0.2.1/32", "2001:db8::1/64", "::/0", "::1/128"]),
        (.mac, ["02:00:5e:10:00:01", "02-00-5E-10-00-01", "ff:FF:ff:FF:ff:FF"]),
        (
            .uri,
            [
                "https://example.net/", "http://user:pw@example.net:8080/a/b?x=1&y=%20#frag", "mailto:a@example.net",
                "urn:isbn:0451450523",
                "file:///etc/hosts", "http://[2001:db8::1]:80/", "http://[::1]", "a:", "coap+tcp://h", "http://h?q",
                "http://h#f", "x:/a//b",
            ]
        ),
        (.duration, ["0", "90", "30s", "5m", "1h30m", "250ms", "2d", "1d2h3m4s5ms", "0s", "9223372036854775807"]),
        (.bytes, ["0", "512", "512B", "10kB", "5MiB", "1TiB", "3GB"]),
        (.base64, ["", "AA==", "AAE=", "AAEC", "AAEC/w==", "+/+/"]),
        (.interface, ["eth0", "wlp2s0", "br-lan", "eth0.100", "a", "123456789012345", "veth@x", "_x", "0", "ü", "lo"]),
        (.managedInterface, ["eth0", "low", "all0", "l"]),
    ])
    func accepts(_ format: SettingFormat, _ texts: [String]) {
        for text in texts { #expect(format.accepts(text), "\(format): \(text)") }
    }

    @Test(arguments: [
        (
            SettingFormat.hostname,
            [
                "", "-a", "a-", "a..b", ".a", "a.", "a_b", "a b", "ä", "a/b", String(repeating: "a", count: 64),
                String(repeating: "a.", count: 32) + "a",
            ]
        ),
        (.host, ["", "-a", "1.2.3.4.", "::g", "a_b", String(repeating: "a.", count: 127)]),
        (
            .ipv4,
            [
                "", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.04", "1..2.3", "1.2.3.4 ", "1.2.3.a",
                "0x1.2.3.4", "1.2.3.4/24", "١.٢.٣.٤",
            ]
        ),
        (
            .ipv6,
            [
                "", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::",
                ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:",
                "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "fe80::1%eth0", "::1.2.3", "::1.2.3.256", "1.2.3.4",
                "1:2:3:4:5:6:7:1.2.3.4", "::1/64", "[::1]",
                "1:::2", "::1.2.3.4:5",
            ]
        ),
        (.ip, ["", "a", "1.2.3.4/8"]),
        (
            .cidr,
            [
                "", "/", "192.0.2.1", "192.0.2.1/", "192.0.2.1/33", "192.0.2.1/024", "192.0.2.1/-1", "::1/129",
                "::1/1000", "/24", "a/24", "1.2.3.4/2 ",
            ]
        ),
        (
            .mac,
            [
                "", "02:00:5e:10:00", "02:00:5e:10:00:01:02", "02:00-5e:10:00:01", "0200.5e10.0001",
                "gg:00:5e:10:00:01", "2:0:5e:10:0:1", "02005e100001",
            ]
        ),
        (
            .uri,
            [
                "", "example.net", "/a", "//h/a", "1http://h", ":a", "http://a b", "http://h/%zz", "http://h/%2",
                "http://h/\u{e9}", "http://[::1", "http://[x]",
                "http://h:port/", "http://h/[", "http://h#a#b", "http://h/\\",
            ]
        ),
        (
            .duration,
            [
                "", "s", "-1s", "1.5s", "1h1h", "1m1h", "1 s", "5M", "5min", "1h30", "30s ", "9223372036854775808",
                "9223372036854775807d", "٣s", "PT30S",
            ]
        ),
        (.bytes, ["", "B", "-1", "1.5MiB", "5MIB", "5K", "5KB", "5 MiB", "9223372036854775807KiB", "1MiB2KiB"]),
        (.managedInterface, ["lo", "all", "auto", "default", "-a", ""]),
        (
            .interface,
            [
                "", ".", "..", "...", "-a", "--help", "@x", "a/b", "a b", "a:1", "a\tb", "1234567890123456",
                "übermäßiglang", "a\u{A0}b",
            ]
        ),
    ])
    func refuses(_ format: SettingFormat, _ texts: [String]) {
        for text in texts { #expect(!format.accepts(text), "\(format): \(text)") }
    }

    @Test(arguments: [
        (SettingFormat.duration, "90", "90ms"), (.duration, "90s", "1m30s"), (.duration, "90m", "1h30m"),
        (.duration, "24h", "1d"),
        (.duration, "0ms", "0s"), (.duration, "1500ms", "1s500ms"), (.duration, "nonsense", "nonsense"),
        (.bytes, "1024", "1KiB"), (.bytes, "10000", "10kB"), (.bytes, "1025", "1025B"), (.bytes, "2048KiB", "2MiB"),
        (.bytes, "0", "0B"),
        (.ipv6, "2001:DB8:0:0:0:0:0:1", "2001:db8::1"), (.ipv6, "1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        (.ipv6, "1:0:0:2:3:0:0:4", "1::2:3:0:0:4"),
        (.ipv6, "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), (.ipv6, "0:0:0:0:0:0:0:0", "::"),
        (.ipv6, "1:0:0:0:0:0:0:0", "1::"),
        (.ipv6, "::ffff:192.0.2.1", "::ffff:c000:201"), (.ip, "192.0.2.1", "192.0.2.1"),
        (.cidr, "FE80::1/64", "fe80::1/64"),
        (.host, "NTP.example.net", "NTP.example.net"), (.host, "::0001", "::1"),
        (.mac, "02-00-5E-10-00-01", "02:00:5e:10:00:01"),
        (.hostname, "Board", "Board"),
    ])
    func writesOneCanonicalForm(_ format: SettingFormat, _ text: String, _ expected: String) {
        #expect(format.canonical(text) == expected)
        #expect(format.canonical(expected) == expected)
    }

    @Test(arguments: 1...20)
    func canonicalFormsReadBackAsTheSame(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let number = Int64.random(
                in: 0...Int64.max >> Int64.random(in: 0...62, using: &generator), using: &generator)
            #expect(DurationText.milliseconds(DurationText.text(milliseconds: number)) == number)
            #expect(ByteCountText.bytes(ByteCountText.text(bytes: number)) == number)
            let groups = (0..<8).map { _ in
                Bool.random(using: &generator) ? 0 : UInt16.random(in: 0...0xFFFF, using: &generator)
            }
            #expect(InternetAddress("\(InternetAddress.v6(groups))") == .v6(groups), "seed \(seed): \(groups)")
            let address = InternetAddress.v4(UInt32.random(in: 0...UInt32.max, using: &generator))
            #expect(InternetAddress("\(address)") == address)
        }
    }

    @Test(arguments: SettingFormat.allCases)
    func survivesHostileTexts(_ format: SettingFormat) {
        for text in [
            "\u{0}", String(repeating: "1", count: 100_000), String(repeating: ":", count: 100_000), "%", "a%", "[",
            "@", "://", "٣",
        ] {
            _ = format.accepts(text)
            _ = format.canonical(text)
            _ = format.quantity(text)
        }
        // Only no bytes have an empty text.
        #expect(format.accepts("") == (format == .base64))
        #expect(!format.expectation.isEmpty)
    }
}
