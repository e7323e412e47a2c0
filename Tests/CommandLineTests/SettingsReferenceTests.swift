import CleatAPI
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatViews
import SystemPackage
import Testing

@testable import cleat

/// The page of `cleat describe --markdown`.
@Suite struct SettingsReferenceTests {
    /// The page that is shipped is the one that the program prints: `cleat describe --builtin --markdown`.
    @Test func thePageInTheDocumentsIsTheProgramsOwn() async throws {
        try await CannedBoard.serving([
            SettingsInterface.Describe.name: { _ in
                SettingsInterface.Describe.Reply(describing: nil, in: .builtIn).wire
            }
        ]) { board in
            let own = try await board.cleat(
                ["describe", "--builtin", "--markdown"], environment: ["CLEAT_SOCKET": "/nowhere"])
            #expect(own.status == 0, "\(own.errorText)")
            #expect(try contents(of: TestPlaces.package.appending("docs/settings-reference.md")) == own.output)
            #expect(try await board.cleat("describe", "--markdown").output == own.output)
        }
    }

    @Test func ofAPrefixAndOfNothing() async throws {
        try await CannedBoard.serving([:]) { board in
            let part = try await board.cleat("describe", "--builtin", "--markdown", "time")
            #expect(part.output.hasPrefix("# Settings below `time`\n"))
            #expect(part.output.contains("### `time/ntp/enabled`") && !part.output.contains("system/hostname"))
            let key = try await board.cleat("describe", "--builtin", "network/interfaces/eth0/mtu")
            #expect(key.output.hasPrefix("network/interfaces/eth0/mtu  integer\n"))
            let typo = try await board.cleat("describe", "--builtin", "system/hostnme")
            #expect(typo.status == 65)
            #expect(typo.errorText.contains("system/hostname"))
            #expect(try await board.cleat("describe", "--builtin", "a//b").status == 65)
        }
        #expect(SettingsReference(descriptions: []).text.hasSuffix("\nThere is no setting here.\n"))
    }

    /// A service of an earlier release sends no groups.
    @Test func groupsHaveTheirWords() throws {
        let schema = try Schema(
            json: JSONReader.read(
                """
                { "type": "object", "title": "of the file", "properties": {
                  "wifi": { "type": "object", "title": "Wireless", "description": "The radio.", "properties": {
                    "plain": { "type": "object", "properties": { "a": { "type": "string" } } },
                    "nets": { "type": "object", "title": "Networks", "propertyNames": { "title": "ssid" },
                      "additionalProperties": { "type": "object", "description": "One network.", "properties": {
                        "hidden": { "type": "boolean" } } } } } } } }
                """))
        func lines(_ reply: SettingsInterface.Describe.Reply) -> [String] {
            SettingsReference(descriptions: reply.descriptions, groups: reply.groups ?? []).text
                .split(separator: "\n").filter { $0.hasPrefix("#") || !$0.hasPrefix("-") }.dropFirst(2)
                .map(String.init)
        }
        let reply = SettingsInterface.Describe.Reply(describing: nil, in: schema)
        let expected = [
            "## `wifi`", "**Wireless**: The radio.", "## `wifi/nets`", "**Networks**", "## `wifi/nets/{ssid}`",
            "One network.", "### `wifi/nets/{ssid}/hidden`", "## `wifi/plain`", "### `wifi/plain/a`",
        ]
        #expect(lines(reply) == expected)
        let below = SettingsInterface.Describe.Reply(describing: try SettingPath("wifi/nets/x"), in: schema)
        #expect(lines(below) == ["## `wifi/nets/x`", "One network.", "### `wifi/nets/x/hidden`"])
        #expect(
            lines(.init(descriptions: reply.descriptions))
                == expected.filter { $0.hasPrefix("#") && $0 != "## `wifi`" && $0 != "## `wifi/nets`" })
    }

    /// Nothing that a schema says becomes a heading, a link, a tag or a line of its own.
    @Test func hostileTextsStayText() throws {
        let hostile = "# x\n\n## y | `z` <script> [a](b) ![c](d) *e* _f_ &amp; $g$ ~~h~~ \\ \u{202e}\u{1b}[31m"
        let page = SettingsReference(
            descriptions: [
                .init(
                    path: "a/``b`", types: ["string"], title: hostile, description: hostile, default: .string(hostile),
                    constraints: [
                        "enum": [.string("`")], "pattern": .string("^`` `$"), "examples": [.string(hostile), ""],
                        "deprecated": true, "readOnly": true, "writeOnly": true, "x-own": "never shown",
                        "if": [:], "minLength": 1, "maxLength": 1,
                    ])
            ], groups: [.init(path: "a", title: hostile, description: hostile)]
        ).text
        try Golden.expect(page, matches: "reference-hostile.md")
        let headings = page.split(separator: "\n").filter { $0.hasPrefix("#") }
        #expect(headings == ["# Settings", "## `a`", "### ``` a/``b` ```"])
        #expect(!page.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202e })
        #expect(!page.contains("never shown"))
    }

    @Test(
        arguments: [
            (["minimum": 1], ["at least 1"]), (["maximum": 2.5], ["at most 2.5"]),
            (["minimum": 1, "maximum": 2], ["1 to 2"]),
            (["exclusiveMinimum": 0, "multipleOf": 0.1], ["more than 0", "a multiple of 0.1"]),
            (
                ["format": "duration", "minimum": 1500],
                ["a duration such as “30s”, “1h30m” or “250ms”", "at least 1s500ms"]
            ),
            (["minLength": 2, "maxLength": 2], ["2 characters"]), (["minItems": 1], ["at least 1 item"]),
            (["maxItems": 3, "uniqueItems": true], ["at most 3 items", "no item twice"]),
            (["const": "a b"], ["only `a b`"]), (["enum": [1, "1"]], ["one of `1`, `\"1\"`"]),
            (["items": ["type": ["string", "null"], "pattern": "^a"]], ["each item: string or null, matches `^a`"]),
            (
                ["anyOf": [["format": "ipv4"], ["minLength": 1]]],
                ["`anyOf`: `[{\"format\":\"ipv4\"},{\"minLength\":1}]`"]
            ),
            (["not": ["const": 3]], ["`not`: `{\"const\":3}`"]), (["uniqueItems": false], []),
            (["format": "unheard"], ["`format`: `\"unheard\"`"]), (["x-a": 1, "deprecated": true], []),
            (["maximum": 9, "x-unit": "*"], ["at most 9", "in \\*"]),
        ] as [(JSONObject, [String])])
    func constraintsInWords(_ keywords: JSONObject, _ phrases: [String]) {
        #expect(ConstraintText.phrases(for: keywords, as: .markdown) == phrases)
    }

    @Test func theOrderIsThatOfTheGroups() {
        let paths = ["b", "a/c/d", "a/b", "a/c", "a-b/x"]
        func headings(_ paths: [String]) -> [String] {
            SettingsReference(descriptions: paths.map { .init(path: $0, types: []) }).text
                .split(separator: "\n").filter { $0.hasPrefix("##") }.map(String.init)
        }
        let expected = [
            "## At the top", "### `b`", "## `a`", "### `a/b`", "### `a/c`", "## `a-b`", "### `a-b/x`", "## `a/c`",
            "### `a/c/d`",
        ]
        #expect(headings(paths) == expected)
        #expect(headings(paths.reversed()) == expected)
    }
}
