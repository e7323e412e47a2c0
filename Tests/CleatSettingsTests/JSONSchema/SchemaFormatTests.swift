import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct SchemaFormatTests {
    static let cases: [(name: String, valid: [String], invalid: [String])] = [
        (
            "date-time",
            [
                "1963-06-19T08:30:06.283185Z", "1963-06-19t08:30:06z", "1990-12-31T15:59:50.123-08:00",
                "1998-12-31T23:59:60Z",
                "1998-12-31T15:59:60.123-08:00", "2020-02-29T00:00:00+23:59",
            ],
            [
                "1998-12-31T23:59:61Z", "1998-12-31T23:58:60Z", "1998-12-31T22:59:60Z", "1990-02-31T15:59:59Z",
                "1990-12-31T15:59:59-24:00",
                "1963-06-19T08:30:06.28123+01:00Z", "06/19/1963 08:30:06 PST", "2013-350T01:01:01",
                "1963-6-19T08:30:06Z", "1963-06-1T08:30:06Z",
                "1963-06-1৪T00:00:00Z", "1963-06-11T0৪:00:00Z", "1963-06-19 08:30:06Z", "1963-06-19T08:30:06", "",
                "+11963-06-19T08:30:06Z",
            ]
        ),
        (
            "date", ["1963-06-19", "2020-01-31", "2020-02-29", "2000-02-29", "0001-01-01"],
            [
                "2021-02-29", "1900-02-29", "2020-04-31", "2020-00-01", "2020-13-01", "2020-01-00", "06/19/1963",
                "1998-1-20", "1998-01-1", "2013-350", "1963-06-1৪", "20230328", "2023-W01", "2022-W52-1", "",
                "2020-01-01 ",
            ]
        ),
        (
            "time",
            [
                "08:30:06Z", "08:30:06z", "23:59:60Z", "23:59:60+00:00", "01:29:60+01:30", "23:29:60+23:30",
                "15:59:60-08:00", "00:29:60-23:30", "23:20:50.52Z", "08:30:06.283185Z", "08:30:06+00:20",
            ],
            [
                "008:030:006Z", "8:3:6Z", "8:0030:6Z", "22:59:60Z", "23:58:60Z", "23:59:60+01:00", "23:59:60-01:00",
                "08:30:06-8:000", "24:00:00Z", "00:60:00Z", "00:00:61Z", "01:02:03+24:00", "01:02:03+00:60",
                "01:02:03Z+00:30", "08:30:06 PST", "01:01:01,1111", "12:00:00", "12:00:00.52", "1২:00:00Z",
                "08:30:06#00:20", "ab:cd:efZ", "12:00:00.Z", "",
            ]
        ),
        (
            "duration", ["P4DT12H30M5S", "P4Y", "PT0S", "P0D", "P1M", "PT1M", "PT36H", "P1DT12H", "P2W", "P1Y2M3D"],
            [
                "PT1D", "P", "P1YT", "PT", "P2D1Y", "P1D2H", "P2S", "P1Y2W", "P1", "P২Y", "4DT12H30M5S", "p1d", "P1.5D",
                "P-1D", "1h30m", "P1Y3D", "", "PW",
            ]
        ),
        (
            "email",
            [
                "joe.bloggs@example.com", "te~st@example.com", "~test@example.com", "test~@example.com",
                "\"joe bloggs\"@example.com", "\"joe..bloggs\"@example.com", "\"joe@bloggs\"@example.com",
                "joe.bloggs@[127.0.0.1]", "joe.bloggs@[IPv6:::1]", "te.s.t@example.com",
            ],
            [
                "2962", "@", "joe", ".test@example.com", "test.@example.com", "te..st@example.com",
                "joe.bloggs@invalid=domain.com", "joe.bloggs@[127.0.0.300]", "user1@oceania.org, user2@oceania.org",
                "\"Winston Smith\" <a@b.c>", "a@", "@b.c", "joe.bloggs@[IPv6:::1", "é@example.com", "\"a\"b\"@x.y",
            ]
        ),
        (
            "hostname",
            [
                "www.example.com", "xn--4gbwdl.xn--wgbh1c", "xn--a", "a-b--c", "a.b1", "1host", "hostnam3", "63",
                String(repeating: "a", count: 63) + ".com",
            ],
            [
                "", ".", "host.", ".host", "-a-host-name-that-starts-with--", "not_a_valid_host_name", "a host",
                "a-very-long-host-name-that-is-more-than-sixty-three-bytes-long-xxxxxxxxx", "hostname-", "a..b",
                String(repeating: "a.", count: 127), "actórs.com",
            ]
        ),
        (
            "ipv4", ["192.168.0.1", "0.0.0.0"],
            ["127.0.0.0.1", "256.256.256.256", "127.0", "0x7f000001", "087.10.0.1", "1.2.3.4/24", " 1.2.3.4", ""]
        ),
        (
            "ipv6",
            ["::1", "::", "::abef", "1:2:3:4:5:6:7:8", "::42:ff:1", "d6::", "1:2::192.168.0.1", "::ffff:192.168.0.1"],
            [
                "12345::", "::abcef", "1:1:1:1:1:1:1:1:1", "::laptop", ":2:3:4:5:6:7:8", "1:2:3:4:5:6:7:", "1::d6::42",
                "1::2:192.168.256.1", "1::2:192.168.ff.1", "::2:192.168.0.1:1", "fe80::a%eth1", "fe80::/64",
                "1:2:3:4:5:::8", "127.0.0.1", " ::1",
            ]
        ),
        (
            "uri",
            [
                "http://foo.bar/?baz=qux#quux", "http://foo.com/blah_(wikipedia)_blah#cite-1",
                "http://foo.bar/?q=Test%20URL-encoded%20stuff", "http://xn--nw2a.xn--j6w193g/",
                "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com", "http://223.255.255.254",
                "ftp://ftp.is.co.za/rfc/rfc1808.txt", "ldap://[2001:db8::7]/c=GB?objectClass?one",
                "mailto:John.Doe@example.com", "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212",
                "urn:oasis:names:specification:docbook:dtd:xml:4.1.2", "http://[v7.x:y]/",
            ],
            [
                "//foo.bar/?baz=qux#quux", "/abc", "\\\\WINDOWS\\fileshare", "abc", "http:// shouldfail.com",
                ":// should fail", "bar,baz:foo", "https://[@example.org/test.txt", "https://example.org/foobar\\.txt",
                "https://example.org/foobar<>.txt", "https://example.org/foobar{}.txt",
                "https://example.org/foobar^.txt", "https://example.org/foobar`.txt", "https://example.org/foo bar.txt",
                "https://example.org/foobar|.txt", "http://é.x/", "http://a/%zz",
            ]
        ),
        (
            "uri-reference",
            [
                "http://foo.bar/?baz=qux#quux", "//foo.bar/?baz=qux#quux", "/abc", "abc", "#fragment", "", "../a?b",
                "a/b:c",
            ], ["\\\\WINDOWS\\fileshare", "#frag\\ment", "a b", "1a:b", "/foobar®.txt"]
        ),
        (
            "uuid",
            [
                "2EB8AA08-AA98-11EA-B4AA-73B441D16380", "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
                "00000000-0000-0000-0000-000000000000",
            ],
            [
                "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa98-11ea-b4aa73b441d16380",
                "2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380----",
                "2eb8-aa08-aa98-11ea-b4aa73b44-1d16380", "zeb8aa08-aa98-11ea-b4aa-73b441d16380", "",
            ]
        ),
        (
            "json-pointer", ["/foo/bar~0/baz~1/%a", "", "/", "/foo//bar", "/ ", "/k\"l", "/é", "/~00", "/~1.1"],
            ["/foo/bar~", "#", "#/", "a", "0", "~0", "/~2", "/~", "/~~", "a/b"]
        ),
        (
            "relative-json-pointer", ["1", "0/foo/bar", "2/0/baz/1/zip", "0#", "120/foo"],
            ["/foo/bar", "-1/foo/bar", "+1/foo", "0##", "01/a", "01#", "", "multi-digit", "1a", "০"]
        ),
        ("regex", ["([abc])+\\s+$", "a(?=b)", "(a)\\1", ""], ["^(abc]", "\\a", "^\\S(|(.|\\n)*\\S)\\Z"]),
        ("cidr", ["192.0.2.1/24", "::1/128"], ["192.0.2.1", "192.0.2.1/33"]),
        ("mac", ["02:00:5e:10:00:01"], ["02:00:5e:10:00"]), ("bytes", ["5MiB"], ["5 MiB"]),
    ]

    @Test(arguments: cases.map(\.name)) func takesAndRefuses(_ name: String) throws {
        let one = try #require(Self.cases.first { $0.name == name })
        let asserting = try compiled("{format: '\(name)'}", for: .documents(assertFormat: true))
        let describing = try compiled("{format: '\(name)'}")
        for text in one.valid { #expect(asserting.accepts(.string(text)), "\(text)") }
        for text in one.invalid {
            let report = asserting.validate(.string(text))
            #expect(report.violations.map(\.keyword) == ["format"], "\(text)")
            #expect(describing.accepts(.string(text)), "\(text)")
        }
        for other: JSONValue in [1, 1.5, true, .null, [], [:]] { #expect(asserting.accepts(other)) }
    }

    @Test func settingsHaveFormsOfTheirOwn() throws {
        let duration = try compiled("{format: 'duration', minimum: 1000}", for: .settings)
        #expect(duration.accepts("30s") && !duration.accepts("P1D") && !duration.accepts("1ms"))
        let documents = try compiled("{format: 'duration', minimum: 1000}", for: .documents(assertFormat: true))
        #expect(documents.accepts("P1D") && !documents.accepts("30s"))
        let hostname = String(repeating: "a", count: 60) + ".example"
        #expect(try !compiled("{format: 'hostname'}", for: .settings).accepts(.string(hostname)))
        #expect(try compiled("{format: 'hostname'}", for: .documents(assertFormat: true)).accepts(.string(hostname)))
        for name in SchemaFormat.names(use: .settings) {
            #expect(try !compiled("{format: '\(name)'}", for: .settings).accepts("\u{1} / \\"), "\(name)")
        }
    }

    @Test(arguments: [
        "", "é", "a\u{300}", String(repeating: "é", count: 5000), String(repeating: "a", count: 100_000), "xn--\u{0}",
        "1" + String(repeating: "0", count: 500),
    ])
    func noTextIsTooMuch(_ text: String) throws {
        for name in SchemaFormat.names(use: .documents(assertFormat: true)) {
            let schema = try compiled("{format: '\(name)'}", for: .documents(assertFormat: true))
            #expect(schema.validate(.string(text)).isComplete, "\(name)")
        }
    }
}
