import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import TemplateTestSupport
import Testing

@testable import CleatTemplates

/// Makes texts of characters that formats care about.
struct HostileText {
    var random: SeededGenerator
    static let scalars: [Unicode.Scalar] =
        Array("abcXYZ019 _-.:/@+,%=;#'\"`\\$(){}[]<>&|!*?~^\t\n\r\u{1}\u{7f}\u{0}".unicodeScalars)
        + ["ä", "€", "😀", "\u{85}", "\u{2028}", "\u{fffe}", "\u{301}"]

    mutating func next() -> String {
        let count = Int.random(in: 0...12, using: &random)
        var text = ""
        for _ in 0..<count { text.unicodeScalars.append(Self.scalars.randomElement(using: &random) ?? "x") }
        return text
    }
}

@Suite("Values never leave their context")
struct TemplateEscapeTests {
    static let words: [String] = [
        "", "plain", "two words", "line\nbreak", "'", "\"", "it's", "'; reboot; '", "$(reboot)", "`reboot`", "\\",
        "a\\",
        "\0", "a\0b", "#", " #x", ";", "x ;y", "]]>", "<a>", "&lt;", "-->", "\t", "\r\n", "\u{85}", "\u{2028}",
        "{{name}}",
        "$'x'", "\"}, {\"", "\u{fffe}", " x", "x ", "%", "[x]", "x=y", "\u{7f}",
    ]

    private func render(_ template: Template, _ text: String) throws(TemplateProblem) -> [UInt8] {
        try template.render { path in path.text == "name" ? .string(text) : nil }
    }

    /// The texts that a place refuses, of those above.
    @Test(arguments: [
        (TemplateEscape.word, "x {{name}} y"), (.line, "x {{name}} y"), (.shell, "A={{name}}"),
        (.ini, "a = {{name}}"), (.ini, "[{{name}}]"), (.ini, "{{name}} = 1"), (.ini, "a = \"{{name}}\""),
        (.ini, "# {{name}}"), (.json, "{\"a\": {{name}}}"), (.xml, "<a>{{name}}</a>"),
    ])
    func refusals(escape: TemplateEscape, text: String) throws {
        let template = try Template(text, escape: escape, schema: TemplateFixture.schema())
        let isControl: (Unicode.Scalar) -> Bool = {
            $0.properties.generalCategory == .control || $0 == "\u{2028}"
        }
        for word in Self.words {
            let isRefused: Bool
            switch text {
            case "A={{name}}": isRefused = word.unicodeScalars.contains("\0")
            case "x {{name}} y" where escape == .line, "# {{name}}":
                isRefused = word.unicodeScalars.contains(where: isControl)
            case "{\"a\": {{name}}}": isRefused = false
            case "<a>{{name}}</a>":
                isRefused = ["\0", "a\0b", "\u{fffe}"].contains { $0.utf8.elementsEqual(word.utf8) }
            case "a = {{name}}":
                isRefused =
                    word.unicodeScalars.contains(where: isControl)
                    || ["'", "\"", "'; reboot; '", "\"}, {\"", "\\", "a\\", "#", " #x", ";", "x ;y", " x", "x "]
                        .contains(word)
            case "a = \"{{name}}\"":
                isRefused =
                    word.unicodeScalars.contains(where: isControl)
                    || word.unicodeScalars.contains { "\"'\\".unicodeScalars.contains($0) }
                    || [" #x", "x ;y"].contains(word)
            default: isRefused = !["plain", "%"].contains(word)
            }
            do throws(TemplateProblem) {
                _ = try render(template, word)
                #expect(!isRefused, "\(word.debugDescription)")
            } catch {
                #expect(isRefused, "\(word.debugDescription)")
                #expect(error.path?.text == "name")
                #expect(error.position.line == 1)
            }
        }
    }

    @Test(
        "A shell reads back what was written",
        arguments: [
            "A={{name}}\nprintf %s \"$A\"", "printf %s {{name}}", "printf %s x{{name}}y | sed -e 's/^x//;$s/y$//'",
            "A=$(printf %s. {{name}}); printf %s \"${A%.}\"",
        ])
    func shell(script: String) async throws {
        let template = try Template(script, escape: .shell, schema: TemplateFixture.schema())
        var hostile = HostileText(random: SeededGenerator(seed: 6))
        // sed works line by line and adds nothing to text that has no line break at its end.
        let count = TestMachine.rounds(60, briefly: 6)
        let words = (Self.words + (0..<count).map { _ in hostile.next() }).filter { !$0.unicodeScalars.contains("\0") }
        try await withLoop { loop in
            for word in words {
                let text = String(decoding: try template.render { _ in .string(word) }, as: UTF8.self)
                var command = ChildCommand("/bin/sh", ["-c", text])
                command.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C"]
                let result = try await loop.run(command)
                #expect(result.isSuccess, "\(word.debugDescription)")
                #expect(result.output == Array(word.utf8), "\(word.debugDescription): \(text.debugDescription)")
            }
        }
    }

    @Test("JSON reads back what was written, whatever the value is")
    func json() throws {
        let template = try Template(
            "{\"a\": {{name}}, \"b\": [{{name}}]}", escape: .json, schema: TemplateFixture.schema())
        var hostile = HostileText(random: SeededGenerator(seed: 7))
        var values: [JSONValue] = (Self.words + (0..<500).map { _ in hostile.next() }).map(JSONValue.string)
        values += [.null, .bool(true), .integer(.min), .number(0.1), .array([.string("\"")]), .object(["\"": .null])]
        for value in values {
            let text = try template.render { _ in value }
            #expect(try JSONReader.read(text) == .object(["a": value, "b": .array([value])]))
        }
        let none = try template.render { _ in nil }
        #expect(String(decoding: none, as: UTF8.self) == "{\"a\": null, \"b\": [null]}")
    }

    /// Reads the value of the line `a=value` as lenient readers do: comments, quotes and blanks taken away.
    private func value(ofINI text: [UInt8]) -> [UInt8]? {
        let lines = text.split(separator: 10, omittingEmptySubsequences: false)
        guard lines.count == 3, lines[0].elementsEqual("[s]".utf8), lines[2].isEmpty else { return nil }
        guard lines[1].starts(with: "a=".utf8), lines[1].last != UInt8(ascii: "\\") else { return nil }
        var value = [UInt8](lines[1].dropFirst(2))
        for index in value.indices.dropLast() where value[index] == UInt8(ascii: " ") {
            if "#;".utf8.contains(value[index + 1]) {
                value.removeSubrange(index...)
                break
            }
        }
        if let first = value.first, "#;".utf8.contains(first) { return nil }
        while value.first == UInt8(ascii: " ") { value.removeFirst() }
        while value.last == UInt8(ascii: " ") { value.removeLast() }
        if value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\""), value.count > 1 {
            value = Array(value.dropFirst().dropLast())
        }
        return value
    }

    @Test("A lenient reader of INI files reads back what was written", arguments: ["{{name}}", "\"{{name}}\""])
    func ini(place: String) throws {
        let template = try Template("[s]\na={{\"\"}}" + place + "\n", escape: .ini, schema: TemplateFixture.schema())
        var hostile = HostileText(random: SeededGenerator(seed: 8))
        var taken = 0
        for word in Self.words + (0..<4_000).map({ _ in hostile.next() }) {
            guard let text = try? render(template, word) else { continue }
            taken += 1
            #expect(value(ofINI: text) == Array(word.utf8), "\(word.debugDescription)")
        }
        #expect(taken > 200)
    }

    /// Takes the references of XML back.
    private func unescaped(_ text: Substring) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "&", let end = rest.firstIndex(of: ";") else {
                result.append(scalar)
                continue
            }
            let name = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
            switch name {
            case "amp": result.append("&")
            case "lt": result.append("<")
            case "gt": result.append(">")
            case "quot": result.append("\"")
            default:
                guard name.hasPrefix("#"), let number = UInt32(name.dropFirst()), let scalar = Unicode.Scalar(number)
                else {
                    return "broken"
                }
                result.append(scalar)
            }
        }
        return String(result)
    }

    @Test("XML has no markup from a value")
    func xml() throws {
        let template = try Template("<a b='{{name}}'>{{name}}</a>", escape: .xml, schema: TemplateFixture.schema())
        var hostile = HostileText(random: SeededGenerator(seed: 9))
        for word in Self.words + (0..<1_000).map({ _ in hostile.next() }) {
            guard let bytes = try? render(template, word) else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            let scalars = text.unicodeScalars
            #expect(scalars.count { $0 == "<" } == 2 && scalars.count { $0 == ">" } == 2)
            #expect(scalars.count { $0 == "'" } == 2 && !scalars.contains("\"") && !scalars.contains("\n"))
            let parts = scalars.split { "<>'".unicodeScalars.contains($0) }.map(Substring.init)
            if word.isEmpty { continue }
            try #require(parts.count == 4)
            #expect(
                unescaped(parts[1]).utf8.elementsEqual(word.utf8) && unescaped(parts[2]).utf8.elementsEqual(word.utf8))
        }
    }

    @Test("No value is a problem if a word is required, elsewhere it is empty")
    func missing() throws {
        let schema = try TemplateFixture.schema()
        for (escape, text) in [(TemplateEscape.line, "x y"), (.shell, "x''y"), (.ini, "x=y")] {
            let template = try Template(
                escape == .ini ? "x={{name}}y" : escape == .line ? "x {{name}}y" : "echo x{{name}}y", escape: escape,
                schema: schema)
            let made = String(decoding: try template.render { _ in nil }, as: UTF8.self)
            #expect(made.hasSuffix(text))
        }
        let word = try Template("listen\n {{name}};", escape: .word, schema: schema)
        let problem = #expect(throws: TemplateProblem.self) { try word.render { _ in nil } }
        #expect(
            problem?.description
                == "name has no value where a word is required; set it, or write a section around the tag (template, "
                + "line 2, column 2)")
    }

    @Test("A problem inside a map or a list names the setting")
    func place() throws {
        let schema = try TemplateFixture.schema()
        let map = try Template("{{#sites}}\n{{root}}\n{{/sites}}", escape: .word, schema: schema)
        let problem = #expect(throws: TemplateProblem.self) {
            try map.render(TemplateFixture.settings("{sites:{ok:{root:'/a'},'x/y':{root:'a b'}}}", schema))
        }
        #expect(problem?.path?.text == "sites/x~1y/root")
        let list = try Template(
            "{{#services/web/peers}}{{host}} {{/services/web/peers}}", escape: .line, schema: schema)
        let other = #expect(throws: TemplateProblem.self) {
            try list.render(TemplateFixture.settings("{services:{web:{peers:[{host:'a\\nb'}]}}}", schema))
        }
        #expect(other?.path?.text == "services/web/peers")
        #expect(other?.reason == "holds a line break, which a line of the file cannot hold")
    }
}
