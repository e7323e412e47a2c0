import CleatJSON
import CleatSettings
import TemplateTestSupport
import Testing

@testable import CleatTemplates

@Suite("The language of templates")
struct TemplateLanguageTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var template: String
        var values = "{}"
        var text: String
        var testDescription: String { template }
    }

    @Test("Names that look the same and have other bytes are other settings")
    func bytes() throws {
        let (one, two) = ("caf\u{e9}", "cafe\u{301}")
        let text = try TemplateFixture.render(
            "{{ports/\(one)}} {{ports/\(two)}} {{ports/\(one)}}", #"{ports: {"\#(one)": 1, "\#(two)": 2}}"#)
        #expect(text == "1 2 1")
    }

    @Test(arguments: [
        Case(template: "", text: ""),
        Case(template: "plain } text } }", text: "plain } text } }"),
        Case(template: "port {{services/web/port}};", text: "port 80;"),
        Case(template: "{{ services/web/port }}", text: "80"),
        Case(template: "{{services/web/name}}", values: "{services:{web:{name:'a b'}}}", text: "a b"),
        Case(template: "[{{services/web/name}}]", text: "[]"),
        Case(template: "{{services/web/enabled}}", text: "false"),
        Case(template: "{{services/web/ratio}}", values: "{services:{web:{ratio:0.5}}}", text: "0.5"),
        Case(template: "{{\"{{\"}}x}}", text: "{{x}}"),
        Case(template: "a{{! nothing }}b", text: "ab"),
        Case(template: "a{{! nothing\n{{ at all }}b", text: "ab"),
    ])
    func variables(_ one: Case) throws { #expect(try TemplateFixture.render(one.template, one.values) == one.text) }

    @Test(arguments: [
        Case(template: "{{#services/web/enabled}}on{{/services/web/enabled}}", text: ""),
        Case(template: "{{^services/web/enabled}}off{{/services/web/enabled}}", text: "off"),
        Case(
            template: "{{#services/web/enabled}}on{{/services/web/enabled}}",
            values: "{services:{web:{enabled:true}}}", text: "on"),
        // A number is a value, an empty text is none.
        Case(template: "{{#services/web/port}}p{{/services/web/port}}", values: "{services:{web:{port:0}}}", text: "p"),
        Case(
            template: "{{#services/web/name}}n{{/services/web/name}}{{^services/web/name}}-{{/services/web/name}}",
            values: "{services:{web:{name:''}}}", text: "-"),
        Case(template: "{{#services/web/port}}{{.}}{{/services/web/port}}", text: "80"),
        // A group is there once, and its names count from it.
        Case(template: "{{#services/web}}{{port}} {{enabled}}{{/services/web}}", text: "80 false"),
        Case(template: "{{#services}}{{#web}}{{port}}{{/web}}{{/services}}", text: "80"),
        // The inner name hides the outer one, which @root still names.
        Case(
            template: "{{#services/web}}{{name}},{{@root/name}}{{/services/web}}",
            values: "{name:'outer',services:{web:{name:'inner'}}}", text: "inner,outer"),
        // What is found is fixed by the schema, not by what happens to be set.
        Case(
            template: "{{#services/web}}{{name}}{{/services/web}}", values: "{name:'outer'}", text: ""),
        Case(
            template: "{{#services/web}}{{sites/a/port}}{{/services/web}}", values: "{sites:{a:{port:1}}}", text: "1"),
    ])
    func sections(_ one: Case) throws { #expect(try TemplateFixture.render(one.template, one.values) == one.text) }

    @Test(arguments: [
        Case(
            template: "{{#services/web/aliases}}<{{.}}>{{/services/web/aliases}}",
            values: "{services:{web:{aliases:['a','b']}}}", text: "<a><b>"),
        Case(
            template:
                "{{#services/web/aliases}}x{{/services/web/aliases}}{{^services/web/aliases}}-{{/services/web/aliases}}",
            values: "{services:{web:{aliases:[]}}}", text: "-"),
        Case(
            template: "{{#services/web/aliases}}{{.}}{{^@last}}, {{/@last}}{{/services/web/aliases}}",
            values: "{services:{web:{aliases:['a','b','c']}}}", text: "a, b, c"),
        Case(
            template: "{{#services/web/aliases}}{{#@first}}first {{/@first}}{{.}} {{/services/web/aliases}}",
            values: "{services:{web:{aliases:['a','b']}}}", text: "first a b "),
        Case(
            template: "{{#services/web/peers}}{{host}}:{{port}}{{#tags}} {{.}}{{/tags}};{{/services/web/peers}}",
            values: "{services:{web:{peers:[{host:'h',port:1,tags:['x','y']},{host:'i'}]}}}", text: "h:1 x y;i:;"),
        Case(
            template: "{{#services/web/peers}}{{#labels}}{{@key}}={{.}} {{/labels}}{{/services/web/peers}}",
            values: "{services:{web:{peers:[{labels:{b:'2',a:'1'}}]}}}", text: "a=1 b=2 "),
        Case(
            template: "{{#sites}}{{@key}} {{root}} {{port}}\n{{/sites}}",
            values: "{sites:{b:{root:'/b'},a:{root:'/a',port:1}}}", text: "a /a 1\nb /b 8080\n"),
        Case(template: "{{#ports}}{{@key}}={{.}};{{/ports}}", values: "{ports:{x:1,'a/b':2}}", text: "a/b=2;x=1;"),
        Case(
            template: "{{#sites}}{{#names}}{{@root/sites/a/port}}{{port}}{{.}} {{/names}}{{/sites}}",
            values: "{sites:{a:{port:1,names:['n','m']}}}", text: "11n 11m "),
        Case(template: "{{#sites}}x{{/sites}}{{^sites}}none{{/sites}}", text: "none"),
        Case(
            template: "{{#services/web/anything}}{{@key}}:{{.}} {{/services/web/anything}}",
            values: "{services:{web:{anything:{a:1,b:true}}}}", text: "a:1 b:true "),
    ])
    func loops(_ one: Case) throws { #expect(try TemplateFixture.render(one.template, one.values) == one.text) }

    @Test(arguments: [
        // A line with one tag of a section, or one comment, leaves no trace.
        Case(template: "a\n{{#services}}\nb\n{{/services}}\nc\n", text: "a\nb\nc\n"),
        Case(template: "a\n  {{#services}}  \nb\n\t{{/services}}\t\nc", text: "a\nb\nc"),
        Case(template: "a\r\n{{#services}}\r\nb\r\n{{/services}}\r\n", text: "a\r\nb\r\n"),
        Case(template: "{{#services}}\nb\n{{/services}}", text: "b\n"),
        Case(template: "{{! one }}\n{{! two\nlines }}\nb", text: "b"),
        Case(template: "a\n{{^sites}}\nnone\n{{/sites}}\n", text: "a\nnone\n"),
        // A line with two tags, or with a tag and text, is kept.
        Case(template: "{{#services}}{{/services}}\n", text: "\n"),
        Case(template: "a {{#services}}\nb{{/services}}\n", text: "a \nb\n"),
        Case(template: "{{#services}} b\n{{/services}}\n", text: " b\n"),
        Case(template: "{{! a }} {{! b }}\nc", text: " \nc"),
        // A variable never stands alone.
        Case(template: "  {{services/web/port}}  \n", text: "  80  \n"),
        Case(template: "\n\n{{! }}\n\n", text: "\n\n\n"),
    ])
    func whitespace(_ one: Case) throws { #expect(try TemplateFixture.render(one.template, one.values) == one.text) }

    @Test(arguments: [
        ("{{", ["line 1, column 1: the tag is not closed within 2048 bytes; end it with }}"]),
        ("ä {{services/web/port", ["line 1, column 3: the tag is not closed within 2048 bytes; end it with }}"]),
        ("{{! x", ["line 1, column 1: the tag is not closed within 2048 bytes; end it with }}"]),
        ("{{\"x}}", ["line 1, column 1: the tag is not closed within 2048 bytes; end it with \"}}"]),
        ("{{}}", ["line 1, column 1: the tag is empty; write the path of a setting into it"]),
        ("{{#}}", ["line 1, column 1: the tag is empty; write the path of a setting into it"]),
        (
            "{{services/web/port}}\nä\n\nä é {{services/web/port}} ä {{}}",
            ["line 4, column 29: the tag is empty; write the path of a setting into it"]
        ),
        ("\n{{}}", ["line 2, column 1: the tag is empty; write the path of a setting into it"]),
        (
            "\n  {{services/web/prt}}",
            ["line 2, column 3: no setting is called “services/web/prt”; did you mean “services/web/port”?"]
        ),
        (
            "{{#services/web}}{{nam}}{{/services/web}}",
            [
                "line 1, column 18: no setting is called “nam”, neither in a section around nor at the top; did you mean “name”?"
            ]
        ),
        (
            "{{#services/web}}\n{{port}}\n",
            ["line 1, column 1: the section “services/web” is not closed; add {{/services/web}}"]
        ),
        ("{{/services}}", ["line 1, column 1: no section is open here; remove {{/services}}"]),
        (
            "{{#services}}{{#web}}{{/services}}",
            [
                "line 1, column 1: the section “services” is not closed; add {{/services}}",
                "line 1, column 14: the section “web” is not closed; add {{/web}}",
                "line 1, column 22: the section that is open here, since line 1, column 14, is “web”; write {{/web}}",
            ]
        ),
        ("{{.}}", ["line 1, column 1: “.” is in no section; write the path of a setting"]),
        ("{{@key}}", ["line 1, column 1: “@key” is in no section of a map; move it into one"]),
        (
            "{{#services}}{{#@last}}{{/@last}}{{/services}}",
            ["line 1, column 14: “@last” is in no section of a list or a map; move it into one"]
        ),
        (
            "{{services/web}}",
            [
                "line 1, column 1: “services/web” is a group; write a section {{#services/web}}…{{/services/web}}, or a "
                    + "longer path"
            ]
        ),
        (
            "{{services/web/aliases}}",
            [
                "line 1, column 1: “services/web/aliases” is a list; write a section "
                    + "{{#services/web/aliases}}…{{/services/web/aliases}}, or a longer path"
            ]
        ),
        (
            "{{{services/web/name}}}",
            [
                "line 1, column 1: three braces mean nothing: every value is escaped; for a brace before a tag write "
                    + "{{\"{\"}}"
            ]
        ),
        ("{{&name}}", ["line 1, column 1: every value is escaped; remove the &"]),
        ("{{> part}}", ["line 1, column 1: templates cannot include others; write the text here"]),
        (
            "{{=<% %>=}}",
            ["line 1, column 1: the braces cannot be changed; for braces in the text write {{\"{{\"}}"]
        ),
    ])
    func errors(template: String, expected: [String]) throws {
        #expect(try TemplateFixture.errors(template) == expected)
    }

    @Test("A name that is not a valid path is refused with the rule that it breaks")
    func badPaths() throws {
        for name in ["/a", "a/", "a//b", "a/../b", "~a", "@first", "@keys", "a\u{7f}b"] {
            let errors = try TemplateFixture.errors("{{\(name)}}")
            #expect(errors.count == 1, "\(name)")
            #expect(errors.first?.hasPrefix("line 1, column 1: ") == true, "\(name)")
        }
    }

    @Test("All problems are reported, up to a number")
    func manyProblems() throws {
        let errors = try TemplateFixture.errors((1...100).map { "{{no\($0)}}\n" }.joined())
        #expect(errors.count == TemplateLimits.problems)
        #expect(errors.last?.hasPrefix("line 32, column 1: ") == true)
    }

    @Test("Too large, too deep and too many are refused when the template is compiled")
    func tooMuch() throws {
        let large = String(repeating: "x", count: TemplateLimits.templateBytes + 1)
        #expect(try TemplateFixture.errors(large).count == 1)
        let open = String(repeating: "{{#services}}", count: 17)
        let close = String(repeating: "{{/services}}", count: 17)
        #expect(
            try TemplateFixture.errors(open + close) == [
                "line 1, column 209: sections are nested more than 16 deep; nest them less"
            ])
        let many = String(repeating: "{{name}}", count: TemplateLimits.tags + 1)
        #expect(try TemplateFixture.errors(many).first?.hasSuffix("more than 8192 tags; make it smaller") == true)
        #expect(throws: TemplateErrors.self) {
            try Template([0xff], escape: .line, schema: TemplateFixture.schema())
        }
    }

    @Test("The settings that a template depends on are known, and secrets among them")
    func dependencies() throws {
        let schema = try TemplateFixture.schema()
        let template = try Template(
            "{{#services/web}}{{port}}{{@root/name}}{{/services/web}}{{^sites}}{{/sites}}", escape: .line,
            schema: schema)
        #expect(template.dependencies.map(\.text) == ["name", "services/web", "sites"])
        #expect(!template.holdsSecrets)
        #expect(try Template("{{services/web/password}}", escape: .line, schema: schema).holdsSecrets)
        #expect(
            try Template("{{#services/web}}{{password}}{{/services/web}}", escape: .line, schema: schema).holdsSecrets)
        #expect(try Template("{{services/web}}", escape: .json, schema: schema).holdsSecrets)
    }
}
