import CleatJSON
import CleatSettings
import CleatTestSupport
import TemplateTestSupport
import Testing

@testable import CleatTemplates

@Suite("The contexts in which a template permits values")
struct TemplateContextTests {
    /// A tag is allowed after some parts of a shell text, and refused after others.
    @Test(arguments: [
        ("A=", true), ("echo ", true), ("echo -p", true), ("A=1 B=", true), ("cat < a ", true), ("cat > a ", true),
        ("# x\nA=", true), ("A='x'", true), ("A=\"x\"", true), ("A=\"$B ${C} $D\" E=", true), ("A=$B E=", true),
        ("A=${B} E=", true), ("A=$(echo ", true), ("A=a#b", true), ("f() {\n  A=", true), ("A=\\\n", true),
        ("if [ -n ", true), ("A=`date` B=", true), ("case x in a) B=", true), ("A='it'\\''s' B=", true),
        ("", false), ("\n", false), ("A=1; ", false), ("true && ", false), ("(", false), ("( ", false), ("$(", false),
        ("A='", false), ("A=\"", false), ("A=\"x\\\"", false), ("A=\"$", false), ("A=`echo ", false), ("# ", false),
        ("A=1 # ", false), ("A=1;#", false), ("echo \\\n# ", false), ("(#", false), ("(\\\n#", false), ("A=$", false),
        ("A=\\", false), ("A=${B", false), ("A=${B:", false), ("A=$'x' B=", false), ("cat <<E\n", false),
        ("cat << E\nA=", false), ("A=$((1 + ", false), ("((", false), ("[[ a = ", false), ("a[", false),
        ("A=$[1+", false),
        ("A=\"$(echo ", false), ("A=\"$(echo \"x\")\" B=", false), ("A=\"`echo \"", false),
        ("A=\"${B:-\"x\"}\" C=", false),
        ("A=`echo '`' B=", false), ("echo [", false),
        ("export A=", true), ("A+=", true), ("if [ x ]; then A=", true), ("if true; then echo ", true),
        ("/usr/bin/logger ", true), ("cat <a >>b 2>&1 ", true), ("2>&1 echo ", true), ("echo a >b ", true),
        ("trap x EXIT; echo ", true), ("for i in ", true), ("while read a; do echo ", true), ("f() { echo ", true),
    ])
    func shell(text: String, isSafe: Bool) throws {
        let errors = try TemplateFixture.errors(text + "{{name}}", .shell)
        #expect(errors.isEmpty == isSafe, "\(errors)")
    }

    /// No value may follow the start of a command, an argument that a command runs, or a redirection.
    @Test(
        "A value is never run, and is never the file of a redirection", .tags(.fault),
        arguments: [
            "if ", "while ", "until ", "if true; then ", "for i in a; do ", "if true; then a; else ", "if a; elif ",
            "! ",
            "{ ", "time ", "time -p ", "coproc ", "A=1 ", "A=1 B='2' ", "A+=1 ", "if ! ", "f() { ", "function f { ",
            "for i do ", ">a ", "<a >b ", "2>a ", "A=1 >a ",
            "eval ", "eval x=", ". ", "source ", "exec ", "exec -a x ", "command ", "builtin ", "trap ", "alias x=",
            "sh -c ", "/bin/sh -c ", "bash -lc ", "busybox sh -c ", "env A=1 ", "xargs ", "nohup ", "sudo ", "let ",
            "A=1 eval ", "if eval ", "e'v'al ", "\\eval ", "\"eval\" ", "ev\\\nal ", "/usr/bin/env ", "2>a eval ",
            "echo >", "echo > ", "echo >>", "echo >| ", "echo >&", "cat <", "cat < ", "echo 2>", "echo &>",
            "echo <>a >",
            "foo", "/usr/bin/", "dir/A=", "-", "if foo",
        ])
    func run(text: String) throws {
        let errors = try TemplateFixture.errors(text + "{{name}}", .shell)
        #expect(errors.count == 1, "\(errors)")
    }

    @Test("The name of a member is a text; a number or no value is refused there, and not written", .tags(.fault))
    func names() throws {
        let template = "{ {{#ports}}{{@key}}: {{.}}, \"a\": [{{.}}, {\"x\": {{.}}}], {{/ports}}\"b\": {{name}} }"
        #expect(
            try TemplateFixture.render(template, "{ports: {p: 1}, name: 'n'}", .json)
                == #"{ "p": 1, "a": [1, {"x": 1}], "b": "n" }"#)
        // A comma depends on the turn.
        let commas = "[{ {{#ports}}{{^@first}}, {{/@first}}{{@key}}: {{.}}{{/ports}} }]"
        #expect(try TemplateFixture.render(commas, "{ports: {p: 1, q: 2}}", .json) == #"[{ "p": 1, "q": 2 }]"#)
        for text in ["{ {{services/web/port}}: 1 }", "{ {{name}}: 1 }", "[{\"a\": [1], {{services/web/port}}: 1}]"] {
            #expect(throws: (any Error).self, "\(text)") { try TemplateFixture.render(text, "{}", .json) }
        }
        var output: [UInt8] = []
        for value in [JSONValue.integer(5), .bool(true), .null, .array([]), .number(1.5)] {
            #expect(TemplateContext.jsonName.write(value, into: &output)?.contains("name of a member") == true)
        }
        #expect(TemplateContext.jsonName.write(nil, into: &output) != nil)
        #expect(output == [])
        #expect(TemplateContext.jsonName.write("a\"b", into: &output) == nil)
        #expect(String(decoding: output, as: UTF8.self) == "\"a\\\"b\"")
    }

    @Test(arguments: [
        ("", true), ("{\"a\": ", true), ("[1, ", true), ("{\"a\\\"b\": ", true), ("// x\n", true), ("/* x */", true),
        ("{'a\"': ", true),
        ("\"", false), ("{\"a\": \"", false), ("\"\\\"", false), ("// ", false), ("/* ", false), ("/* x *", false),
        ("/", false), ("'", false),
    ])
    func json(text: String, isSafe: Bool) throws {
        #expect(try TemplateFixture.errors(text + "{{name}}", .json).isEmpty == isSafe)
    }

    @Test(arguments: [
        ("<a>", true), ("<a b=\"", true), ("<a b='", true), ("<!-- x --><a>", true), ("<?xml version='1.0'?><a>", true),
        ("<!DOCTYPE a PUBLIC \"x>\" 'y'><a>", true), ("<a b='x'>", true), ("<a/>", true),
        ("<", false), ("<a ", false), ("<a b=", false), ("</", false), ("<!-- ", false), ("<!-- -- ", false),
        ("<?x ", false), ("<!DOCTYPE ", false), ("<!DOCTYPE a [<!ENTITY x \"y\">]><a>", false), ("<![CDATA[", false),
        ("<!-- x --", false),
    ])
    func xml(text: String, isSafe: Bool) throws {
        #expect(try TemplateFixture.errors(text + "{{name}}", .xml).isEmpty == isSafe)
    }

    @Test("Sections that end in another context than they began in are checked in all ways")
    func ways() throws {
        // Without the section the tag is in quotes, with it, it is not.
        let half = "A=\"{{#services}}\"{{/services}}{{name}}\n"
        #expect(try TemplateFixture.errors(half, .shell).count == 1)
        // The second turn of the loop is in quotes.
        let turn = "A={{#ports}}{{.}}\"{{/ports}}"
        #expect(try TemplateFixture.errors(turn, .shell).count == 1)
        // Comments, too.
        #expect(try TemplateFixture.errors("A=1 {{^sites}}#{{/sites}} B={{name}}", .shell).count == 1)
        // What ends where it began is fine.
        #expect(try TemplateFixture.errors("A=\"{{^sites}}-s {{/sites}}-g\" B={{name}}", .shell).isEmpty)
        #expect(try TemplateFixture.errors("a={{#ports}}\n{{/ports}}{{name}}", .ini).count == 1)
    }

    @Test("The error names the remedy and the position")
    func message() throws {
        #expect(
            try TemplateFixture.errors("A=1\nB=\"{{name}}\"\n", .shell) == [
                "line 2, column 4: no value is allowed inside quotes of the shell; the tag writes the quotes itself, so "
                    + "end those before it"
            ])
    }

    @Test("Deeply nested sections do not take the scanner long", .timeLimit(.minutes(1)))
    func scannerIsBounded() throws {
        for escape in TemplateEscape.allCases {
            let open = String(repeating: "{{#services}}\"'`(<#[", count: 16)
            let close = String(repeating: "]-->\n{{/services}}", count: 16)
            let template = String(
                repeating: open + "{{name}}" + close, count: TestMachine.rounds(40, briefly: 8))
            // It ends in time, with what it found or with the limit of its steps.
            #expect(try TemplateFixture.errors(template, escape).count <= TemplateLimits.problems)
        }
    }
}
