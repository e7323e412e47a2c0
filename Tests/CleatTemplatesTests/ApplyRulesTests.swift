import CleatJSON
import CleatSandbox
import CleatSettings
import CleatTestSupport
import TemplateTestSupport
import Testing

@testable import CleatTemplates

@Suite("Rules of schema files")
struct ApplyRulesTests {
    @Test("A schema without rules has none")
    func none() throws {
        let schema = try TemplateFixture.schema()
        let rules = try ApplyRules.read(
            Array("{\"type\":\"object\"}".utf8), file: "f", context: ApplyFixture.context(schema))
        #expect(rules?.file == nil)
    }

    @Test("All members are read")
    func members() throws {
        let directory = try TemporaryDirectory()
        try directory.write("root:x:0:0::/:\nkim:x:7:8::/:\n", to: "passwd")
        try directory.write("root:x:0:\nstaff:x:9:\n", to: "group")
        let rules = try ApplyFixture.read(
            """
            [{"file":"/etc/app/a.conf","escape":"line","template":["a {{name}}","b"],"mode":"0640","owner":"kim:staff",
              "makeDirectories":true,"whenEmpty":"remove","when":["services/web","sites/x"]},
             {"file":"/etc/b.conf","escape":"word","template":"{{name}}","owner":"0:12"},
             {"command":["/bin/app","re load"],"when":["/etc/b.conf","ports"],"timeout":"2m"},
             {"reload":"app@1.service"}]
            """, users: directory.text)
        #expect(rules.files.map(\.path) == ["/etc/app/a.conf", "/etc/b.conf"])
        #expect(rules.files.map(\.permissions) == [0o640, 0o644])
        #expect(rules.files.map(\.owner) == [FileOwner(user: 7, group: 9), FileOwner(user: 0, group: 12)])
        #expect(rules.files.map(\.removesEmpty) == [true, false])
        #expect(rules.files.map(\.declaration.makesParents) == [true, false])
        #expect(rules.files.map { $0.when.map(\.text) } == [["services/web", "sites/x"], ["name"]])
        #expect(rules.commands[0].when.map(\.text) == ["ports"] && rules.commands[0].files == ["/etc/b.conf"])
        #expect(rules.commands[0].command.program == "/bin/app" && rules.commands[0].command.arguments == ["re load"])
        #expect(rules.commands[0].command.timeLimit == .seconds(120))
        #expect(rules.commands[1].files == ["/etc/app/a.conf", "/etc/b.conf"])
        #expect(rules.commands[1].command.service == "app@1.service")
    }

    @Test("A check has the path wherever its arguments name it, a time limit, and no output if a rule follows a secret")
    func check() throws {
        let rule = #"{"file":"/etc/a","escape":"word","template":"{{name}}","#
        let rules = try ApplyFixture.read("[" + rule + #""check":["/bin/c","-f{file}","a","{file}:{file}{"]}]"#)
        let check = try #require(rules.files[0].check)
        #expect(check.program == "/bin/c" && check.timeLimit == .seconds(10) && check.showsOutput)
        #expect(check.naming("/run/x").arguments == ["-f/run/x", "a", "/run/x:/run/x{"])
        #expect(try ApplyFixture.read("[\(rule)\"when\":[\"name\"]}]").files[0].check == nil)
        let secret = #", {"file":"/etc/b","escape":"word","template":"{{services/web/password}}"}]"#
        let hidden = try ApplyFixture.read("[" + rule + #""check":["/bin/c","{file}"],"timeout":"1m"}"# + secret)
        #expect(hidden.files[0].check?.showsOutput == false && hidden.files[0].check?.timeLimit == .seconds(60))
        for (member, error) in [
            (#""timeout":"1s""#, "“timeout” of a file is that of its “check”; remove it, or add a check"),
            (
                #""check":["/bin/c"]"#,
                "“check” does not name the file with the new content; write {file} where the program expects its path"
            ),
            (
                #""check":["{file}"]"#,
                "the program “{file}” is not an absolute path; write it in full, as in /bin/sh"
            ),
            (
                #""check":"/bin/c {file}""#,
                #"“check” must be a list: the program and its arguments, as in ["/usr/sbin/sshd", "-t", "-f", "{file}"]"#
            ),
            (#""check":["/bin/c","{file}",3]"#, "an argument must be a text in quotes"),
            (
                #""check":["/bin/c","{file}"],"timeout":"1h""#,
                "“timeout” must be a duration of 1 ms to 10m, as in \"30s\""
            ),
        ] {
            let errors = try ApplyFixture.errors("[\(rule)\(member)}]")
            #expect(errors.count == 1 && errors[0].hasSuffix(error), "\(member): \(errors)")
        }
        #expect("".substituting("a", by: "b") == "" && "aaa".substituting("aa", by: "b") == "ba")
        #expect("é{".substituting("{", by: "ü") == "éü" && "a".substituting("", by: "b") == "a")
    }

    @Test("A file with a secret is not readable for other users")
    func secrets() throws {
        let rule = "\"file\":\"/etc/a\",\"escape\":\"line\",\"template\":\"{{services/web/password}}\""
        #expect(try ApplyFixture.read("[{\(rule)}]").files[0].permissions == 0o600)
        #expect(try ApplyFixture.read("[{\(rule),\"mode\":\"0640\"}]").files[0].permissions == 0o640)
        #expect(
            try ApplyFixture.errors("[{\(rule),\"mode\":\"0644\"}]") == [
                "line 2, column 98: the template holds a secret and “mode” lets everyone read it; write \"0600\" or \"0640\""
            ])
    }

    @Test(
        "The output of commands is reported if no rule of the file follows a secret, or a group or map with one")
    func reportedOutput() throws {
        func told(_ rules: String) throws -> Bool {
            let commands = try ApplyFixture.read("[\(rules)]").commands
            let told = Set(commands.map(\.command.showsOutput))
            #expect(told.count == 1)
            return told.contains(true)
        }
        let commands = #"{"command":["/bin/x"],"when":["name"]},{"reload":"a.service","when":["name"]}"#
        #expect(try told(commands))
        for path in ["services/web/password", "services/web", "services"] {
            #expect(try !told(#"\#(commands),{"command":["/bin/y"],"when":["\#(path)"]}"#), "\(path)")
        }
        let file = #"{"file":"/etc/a","escape":"line","template":"{{TAG}}"}"#
        #expect(try told("\(file.replacing("TAG", with: "name")),\(commands)"))
        #expect(try !told("\(file.replacing("TAG", with: "services/web/password")),\(commands)"))
        let map = """
            { "type": "object", "properties": { "peers": { "type": "object", "additionalProperties": { "type": "object",
                "properties": { "key": { "type": "string", "writeOnly": true } } } } },
              "x-cleat-apply": [ { "command": ["/bin/x"], "when": ["peers"] } ] }
            """
        let schema = try SchemaText.read(Array(map.utf8), file: "map.json")
        let rules = try ApplyRules.read(Array(map.utf8), file: "map.json", context: ApplyFixture.context(schema))
        #expect(rules?.commands.map(\.command.showsOutput) == [false])
    }

    @Test(
        "A path that no rule may write is refused",
        arguments: [
            "etc/a", "", "/", "/etc/", "/etc//a", "/etc/./a", "/etc/../a", "/..", "/proc/a", "/proc", "/sys/class/a",
            "/dev/a",
            "/run/cleat/a", "/etc/cleat/schema.d/a.json", "/var/lib/cleat", "/etc/*.conf", "/etc/a?", "/etc/[a]",
            "/etc/a\\nb",
            "/etc/\\u0000", "/etc/\(String(repeating: "x", count: 1_100))",
            "/etc/\(String(repeating: "x", count: 300))",
        ])
    func paths(path: String) throws {
        let errors = try ApplyFixture.errors("[{\"file\":\"\(path)\",\"escape\":\"line\",\"template\":\"{{name}}\"}]")
        #expect(errors.count == 1 && errors[0].hasPrefix("line 2, column 27: "), "\(errors)")
    }

    @Test("A directory whose name only starts like a protected one is not protected")
    func neighbours() throws {
        for path in ["/etc/cleat.conf", "/procx", "/var/lib/cleatx/a", "/run/app.conf"] {
            let rule = "[{\"file\":\"\(path)\",\"escape\":\"line\",\"template\":\"{{name}}\"}]"
            #expect(try ApplyFixture.errors(rule) == [], "\(path)")
        }
    }

    @Test(arguments: [
        (
            "{}",
            ["line 2, column 18: “x-cleat-apply” must be a list of rules, as in [ { \"file\": \"/etc/app.conf\", … } ]"]
        ),
        ("[1]", ["line 2, column 19: a rule must be an object with “file”, “command” or “reload”"]),
        ("[{}]", ["line 2, column 19: a rule must have exactly one of “file”, “command” and “reload”"]),
        (
            "[{\"file\":\"/a\",\"command\":[]}]",
            ["line 2, column 19: a rule must have exactly one of “file”, “command” and “reload”"]
        ),
        (
            "[{\"file\":\"/a\",\"template\":\"{{name}}\"}]",
            ["line 2, column 19: “escape” is missing; set the form of the values: word, line, shell, ini, json, xml"]
        ),
        (
            "[{\"file\":\"/a\",\"escape\":\"html\",\"template\":\"{{name}}\"}]",
            ["line 2, column 41: “escape” must be one of word, line, shell, ini, json, xml"]
        ),
        (
            "[{\"file\":\"/a\",\"escape\":\"line\"}]",
            [
                "line 2, column 19: “template” is missing; write the file's text, or “templateFile” with the name of one"
            ]
        ),
        (
            "[{\"file\":\"/a\",\"escape\":\"line\",\"template\":\"x\"}]",
            [
                "line 2, column 19: the template names no setting, so the file has no condition; add “when”"
            ]
        ),
        (
            "[{\"file\":\"/a\",\"escape\":\"line\",\"template\":[\"a\",\n \"{{nmae}}\"]}]",
            ["line 3, column 2: in the template, line 2, column 1: no setting is called “nmae”; did you mean “name”?"]
        ),
        (
            "[{\"file\":\"/a\",\"escape\":\"line\",\"templateFile\":\"app.in\"}]",
            ["line 2, column 63: app.in, line 2, column 1: no setting is called “wrong”"]
        ),
        (
            "[{\"file\":\"/a\",\"escape\":\"line\",\"templateFile\":\"other\",\"when\":[\"name\"]}]",
            ["line 2, column 63: other is not there; add it"]
        ),
        (
            "[{\"file\":\"/a\",\"escape\":\"line\",\"templateFile\":\"../x\",\"when\":[\"name\"]}]",
            [
                "line 2, column 63: “templateFile” must be the name of a file in the schema's own directory, as in \"app.conf.in\""
            ]
        ),
        (
            "[{\"file\":\"/a\",\"escape\":\"line\",\"template\":\"{{name}}\",\"mode\":\"1777\",\"owner\":\"a:b\",\"ower\":1}]",
            [
                "line 2, column 77: “mode” must be three or four digits of permission bits in quotes, as in \"0644\"",
                "line 2, column 92: no user is called “a” here; add one, or write a number",
                "line 2, column 92: no group is called “b” here; add one, or write a number",
                "line 2, column 105: “ower” is not a member here; the members are file, template, templateFile, escape, mode, "
                    + "owner, makeDirectories, whenEmpty, when, reboot, check, timeout, guard, privileged",
            ]
        ),
        (
            "[{\"file\":\"/a\",\"escape\":\"line\",\"template\":\"{{name}}\"},\n{\"file\":\"/a\",\"escape\":\"line\",\"template\":\"{{name}}\"}]",
            ["line 3, column 9: /a is the file of another rule, too; remove one of them"]
        ),
        (
            "[{\"command\":[\"reboot\"],\"when\":[\"name\"]}]",
            ["line 2, column 31: the program “reboot” is not an absolute path; write it in full, as in /bin/sh"]
        ),
        (
            "[{\"command\":[\"/bin/app\",\"a\\u0000\",3],\"when\":[\"nmae\",\"/etc/x\"],\"timeout\":\"1h\"}]",
            [
                "line 2, column 42: the argument holds a NUL character; remove it",
                "line 2, column 52: an argument must be a text in quotes",
                "line 2, column 63: no setting or group is called “nmae”; did you mean “name”?",
                "line 2, column 70: no rule of this file makes /etc/x; name one that does, or a setting",
                "line 2, column 90: “timeout” must be a duration of 1 ms to 10m, as in \"30s\"",
            ]
        ),
        (
            "[{\"command\":[\"/bin/app\"]}]",
            ["line 2, column 19: it has no condition, since no rule here writes a file; add “when”"]
        ),
        (
            "[{\"reload\":\"-x\",\"when\":[\"name\"]}]",
            ["line 2, column 29: “reload” must be the name of a unit of systemd, as in \"dropbear.service\""]
        ),
    ])
    func errors(rules: String, expected: [String]) throws {
        #expect(try ApplyFixture.errors(rules) == expected)
    }

    @Test("The reason why a result needs a reboot is read, of files and of commands")
    func reboots() throws {
        let longest = String(repeating: "ü", count: 100)
        let rules = try ApplyFixture.read(
            """
            [{"file":"/etc/a","escape":"line","template":"{{name}}","reboot":"the boot loader reads it"},
             {"file":"/etc/b","escape":"line","template":"{{name}}"},
             {"command":["/bin/env"],"when":["name"],"reboot":"\(longest)"},
             {"command":["/bin/app"]},
             {"reload":"app.service"}]
            """)
        #expect(rules.files.map(\.reboot) == ["the boot loader reads it", nil])
        #expect(rules.commands.map(\.reboot) == [longest, nil, nil])
    }

    @Test(
        "An invalid reason for a reboot is refused, of files and of commands",
        arguments: [
            ("true", "must be a text in quotes"), ("null", "must be a text in quotes"),
            ("1", "must be a text in quotes"), ("[\"a\"]", "must be a text in quotes"),
            ("\"\"", "must say why it is needed, as in \"the boot loader reads it\""),
            ("\" \\u00a0\"", "must say why it is needed, as in \"the boot loader reads it\""),
            ("\"a\\nb\"", "holds a control character; remove it"),
            ("\"a\\u001b[2J\"", "holds a control character; remove it"),
            ("\"\(String(repeating: "x", count: 201))\"", "has more than 200 bytes; shorten it"),
            ("\"\(String(repeating: "ü", count: 101))\"", "has more than 200 bytes; shorten it"),
        ])
    func noReasons(value: String, message: String) throws {
        let file = "[{\"file\":\"/a\",\"escape\":\"line\",\"template\":\"{{name}}\",\"reboot\":\(value)}]"
        #expect(try ApplyFixture.errors(file) == ["line 2, column 79: “reboot” \(message)"])
        let command = "[{\"command\":[\"/a\"],\"when\":[\"name\"],\"reboot\":\(value)}]"
        #expect(try ApplyFixture.errors(command) == ["line 2, column 62: “reboot” \(message)"])
    }

    @Test("A reload takes effect at once, without a reboot")
    func reloadAndReboot() throws {
        #expect(
            try ApplyFixture.errors("[{\"reload\":\"a.service\",\"when\":[\"name\"],\"reboot\":\"x\"}]") == [
                "line 2, column 66: “reboot” is not a member here; the members are reload, when, timeout"
            ])
    }

    @Test("Rules below the top of the schema are refused")
    func elsewhere() throws {
        let text = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\",\"x-cleat-apply\":[]}}}"
        let schema = try TemplateFixture.schema()
        let errors = #expect(throws: ApplyErrors.self) {
            try ApplyRules.read(Array(text.utf8), file: "/s/a.json", context: ApplyFixture.context(schema))
        }
        #expect(
            errors?.description
                == "/s/a.json:1:69: “x-cleat-apply” is valid at the top of the file only; move it there")
    }

    @Test(
        "A protected directory is one with or without a slash at its end, compared by bytes",
        arguments: [
            ("/x", "/x/f", true), ("/x/", "/x/f", true), ("/x/", "/x", true), ("/x", "/xy", false),
            ("/x/", "/xy/f", false), ("/", "/f", true), ("/x/\u{600}/", "/x/\u{600}/f", true),
            ("/x/\u{600}/", "/x/f", false), ("/x/e\u{301}", "/x/\u{e9}/f", false),
        ])
    func protects(_ directory: String, _ path: String, _ isProtected: Bool) throws {
        let context = ApplyContext(schema: try TemplateFixture.schema(), protected: [directory]) {
            (_: String) throws(ApplyTemplateError) in []
        }
        #expect((context.forbidden(path) != nil) == isProtected)
    }
}
