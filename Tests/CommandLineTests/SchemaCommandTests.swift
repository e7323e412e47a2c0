import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@testable import cleat

/// Tests of the output and the exit status of `cleat schema`, as the real program.
@Suite struct SchemaCommandTests {
    private static let schema = """
        {
          "type": "object",
          "properties": {
            "rate": {"type": "integer", "maximum": 60},
            "start": {"type": "string", "format": "date"}
          },
          "required": ["rate"],
          "additionalProperties": false
        }
        """

    private static func with(
        _ files: [String: String], _ body: @escaping @Sendable (CannedBoard) async throws -> Void
    ) async throws {
        try await CannedBoard.serving([:]) { board in
            for (name, text) in files { try board.directory.write(text, to: name) }
            try await body(board)
        }
    }

    /// Runs `cleat schema` where the files are.
    private static func run(
        _ board: CannedBoard, _ words: String..., input: String = ""
    ) async throws -> CannedBoard.Finished {
        let text = #"cd "$FILES" && printf '%s' "$INPUT" | "$CLEAT" schema "$@""#
        return try await board.script(text, words, environment: ["FILES": board.directory.path.string, "INPUT": input])
    }

    private static func rules(_ rules: String) -> String {
        #"{"type": "object", "properties": {"pump": {"type": "object", "properties": {"rate": {"type": "integer"}}}}, "#
            + "\n \"x-cleat-apply\": [\(rules)]}"
    }

    @Test(
        "Rules are read as the service reads them, with templates and settings of all files")
    func rulesAreChecked() async throws {
        let other =
            #"{"type": "object", "properties": {"site": {"type": "object", "properties": {"name": {"type": "string"}}}}}"#
        let good = """
            {"file": "/etc/pump.conf", "escape": "line", "mode": "0640", "owner": "pump:pump",
             "templateFile": "pump.in"}, {"command": ["/usr/bin/pump", "reload"]}
            """
        let files = [
            "good.json": Self.rules(good), "site.json": other, "pump.in": "rate {{pump/rate}} at {{site/name}}\n",
            "deep.json": #"{"type": "object", "properties": {"a": {"type": "object", "x-cleat-apply": []}}}"#,
        ]
        try await Self.with(files) { board in
            let both = try await Self.run(board, "check", "good.json", "site.json")
            #expect(both.status == 0 && both.output == "good.json: valid\nsite.json: valid\n", "\(both)")
            let alone = try await Self.run(board, "check", "good.json")
            #expect(alone.status == 65 && alone.output.contains("site/name"), "\(alone)")
            for (rule, words) in [
                (#"{"file": "/etc/a", "escape": "line", "template": "{{no/such}}"}"#, "no/such"),
                (#"{"file": "etc/a", "template": "x"}"#, "/x-cleat-apply/0/file: "),
                (#"{"file": "/proc/sys/a", "template": "x"}"#, "/proc"),
                (#"{"file": "/etc/cleat/a", "template": "x"}"#, "/etc/cleat"),
                (#"{"file": "/usr/lib/cleat/schema.d/a.json", "template": "x"}"#, "/usr/lib/cleat/schema.d"),
                (#"{"file": "/etc/a", "template": "x", "mode": "4755"}"#, "/x-cleat-apply/0/mode: "),
                (#"{"file": "/etc/a", "template": "x", "owner": "pump"}"#, "/x-cleat-apply/0/owner: "),
                (#"{"file": "/etc/a", "templateFile": "gone.in"}"#, "“gone.in” next to the file cannot be opened"),
                (#"{"file": "/etc/a", "templateFile": "../a"}"#, "/x-cleat-apply/0/templateFile: "),
                (#"{"command": ["pump"]}"#, "/x-cleat-apply/0/command"), (#"{"command": "x"}"#, "command"),
                (#"{"nothing": 1}"#, "exactly one of"), ("1", "a rule must be an object"),
            ] {
                let wrong = try await Self.run(board, "check", "-", input: Self.rules(rule))
                #expect(wrong.status == 65, "\(rule) \(wrong)")
                #expect(wrong.output.hasPrefix("standard input:2:"), "\(rule) \(wrong)")
                #expect(wrong.output.contains(words), "\(rule) \(wrong)")
            }
            let deep = try await Self.run(board, "check", "--output", "json", "deep.json")
            #expect(deep.status == 65 && deep.output.contains(##""path": "#/properties/a/x-cleat-apply""##), "\(deep)")
        }
    }

    @Test func validDocumentsAreReportedAsValid() async throws {
        let files = ["s.json": Self.schema, "a.json": #"{"rate": 60}"#, "b.json5": "{rate: +5, /* c */}"]
        try await Self.with(files) { board in
            let result = try await Self.run(
                board, "validate", "s.json", "a.json", "b.json5", "-", input: #"{"rate":1}"#)
            #expect(result.status == 0, "\(result.errorText)")
            #expect(result.output == "a.json: valid\nb.json5: valid\nstandard input: valid\n")
            #expect(result.errorText.isEmpty)
        }
    }

    @Test func everyViolationHasItsPlace() async throws {
        let files = [
            "s.json": Self.schema, "good.json": #"{"rate": 1}"#,
            "bad.json": "{\n  \"rate\": 70,\n  \"start\": \"soon\",\n  \"x/~\": [\n    1]\n}", "top.json": "\n []",
        ]
        try await Self.with(files) { board in
            let text = try await Self.run(board, "validate", "s.json", "good.json", "bad.json", "top.json")
            #expect(text.status == 65)
            #expect(
                text.output == """
                    good.json: valid
                    bad.json:2:11: /rate: maximum: is 70, but must be at most 60
                    bad.json:4:10: /x~1~0: additionalProperties: is not known; remove it
                    top.json:2:2: the value: type: is an array, but must be an object

                    """)
            #expect(text.errorText.hasPrefix("cleat: 2 of 3 "))
            let strict = try await Self.run(board, "validate", "--assert-format", "s.json", "bad.json")
            #expect(strict.output.contains("bad.json:3:12: /start: format: "))
            let json = try await Self.run(board, "validate", "--output", "json", "s.json", "good.json", "bad.json")
            #expect(json.status == 65)
            let value = try JSONReader.read(json.output)
            #expect(value["valid"] == false)
            #expect(value["files"]?[0] == ["file": "good.json", "valid": true])
            #expect(
                value["files"]?[1]?["errors"]?[0] == [
                    "line": 2, "column": 11, "path": "/rate", "keyword": "maximum",
                    "schema": "#/properties/rate/maximum", "message": "/rate is 70, but must be at most 60",
                ])
            let lines = try await Self.run(
                board, "validate", "--output", "json-lines", "s.json", "good.json", "bad.json")
            let answers = try lines.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
            #expect(answers.map { $0["valid"] } == [true, false])
            #expect(answers == value["files"]?.arrayValue)
        }
    }

    @Test func trueChecksTheSyntaxOnly() async throws {
        let files = [
            "good.json": " [1, {\"a\": null}]\n", "twice.json": "{\"a\": 1,\n \"a\": 2}", "tail.json": "[1]\n x",
            "comment.json": "// c\n1", "empty.json": "", "mark.json": "\u{feff}1",
        ]
        try await Self.with(files) { board in
            for (name, place) in [
                ("twice.json", "2:2"), ("tail.json", "2:2"), ("comment.json", "1:1"), ("empty.json", "1:1"),
                ("mark.json", "1:1"),
            ] {
                let result = try await Self.run(board, "validate", "true", name)
                #expect(result.status == 65)
                #expect(result.output.hasPrefix("\(name):\(place): "), "\(result.output)")
            }
            #expect(try await Self.run(board, "validate", "true", "good.json").status == 0)
            let never = try await Self.run(board, "validate", "false", "good.json")
            #expect(
                never.output == #"good.json:1:2: the value: false: is [1,{"a":null}], but nothing is allowed"# + "\n")
        }
    }

    @Test func aBrokenSchemaIsReportedWithItsPlaces() async throws {
        let files = ["s.json": "{\"type\": \"objekt\",\n \"$dynamicRef\": \"#\", \"minimum\": \"3\"}", "a.json": "1"]
        try await Self.with(files) { board in
            let result = try await Self.run(board, "validate", "s.json", "a.json")
            #expect(result.status == 65)
            #expect(result.output.contains("s.json:1:2: #/type: type: "))
            #expect(result.output.contains("s.json:2:2: #/$dynamicRef: $dynamicRef: "))
            #expect(result.output.contains("s.json:2:22: #/minimum: minimum: "))
            #expect(result.errorText.contains("the schema is refused"), "\(result)")
            let missing = try await Self.run(board, "validate", "nowhere.json", "a.json")
            #expect(missing.status == 65)
            #expect(missing.output == "nowhere.json: it cannot be opened: No such file or directory\n")
            let directory = try await Self.run(board, "validate", "true", ".")
            #expect(directory.status == 65)
            #expect(directory.output == ".: it cannot be read: Is a directory\n")
        }
    }

    @Test func aLineHasAnAnswer() async throws {
        let lines = [
            #"{"schema":{"type":"integer"},"data":1.0}"#, #"{"schema":{"maxLength":1},"data":"💩"}"#,
            #"{"schema":{"type":"integer"},"data":1.5}"#, "", "no json", #"{"data":1}"#, #"{"schema":true}"#,
            ##"{"schema":{"$dynamicRef":"#"},"data":1}"##, "[1]", #"{"schema":true,"data":{"a":1,"a":2}}"#,
            #"{"schema":false,"data":123456789012345678901234567890,"more":1}"#,
        ]
        try await Self.with([:]) { board in
            let result = try await Self.run(
                board, "validate", "--stdin-lines", input: lines.joined(separator: "\n"))
            let answers = try result.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
            #expect(answers.count == lines.count)
            let verdicts = answers.map { $0["error"] == nil ? $0["valid"]?.boolValue : nil }
            #expect(verdicts == [true, true, false, nil, nil, nil, nil, nil, nil, nil, false])
            #expect(
                answers[2]["errors"] == [
                    [
                        "path": "", "keyword": "type", "schema": "#/type",
                        "message": "the value is 1.5, a number, but must be an integer",
                    ]
                ])
            #expect(answers[7]["problems"]?[0]?["keyword"] == "$dynamicRef")
            #expect(result.status == 65)
            #expect(result.errorText.hasPrefix("cleat: 7 "))
            let fine = try await Self.run(board, "validate", "--stdin-lines", input: lines[0] + "\n" + lines[2] + "\n")
            #expect(fine.status == 0)
        }
    }

    /// A client that sends one line and waits gets its answer.
    @Test func answersDoNotWaitForMore() async throws {
        try await Self.with([:]) { board in
            let result = try await board.script(
                """
                cd "$FILES" && mkfifo in out
                "$CLEAT" schema validate --stdin-lines <in >out &
                exec 3>in 4<out
                for data in 1 '"a"' 2; do
                  echo "{\\"schema\\":{\\"type\\":\\"integer\\"},\\"data\\":$data}" >&3
                  read -r answer <&4; echo "$answer" | cut -c1-14
                done
                exec 3>&-
                wait $!
                """, environment: ["FILES": board.directory.path.string])
            #expect(result.output == "{\"valid\":true}\n{\"valid\":false\n{\"valid\":true}\n")
            #expect(result.status == 0, "\(result.errorText)")
        }
    }

    @Test func checkLooksAtFilesBesideEachOther() async throws {
        let pump = """
            {"type": "object", "properties": {"pump": {"type": "object", "properties": {
              "rate": {"type": "integer", "default": 3}}}}}
            """
        let files = [
            "pump.json": pump, "again.json": pump,
            "host.json": """
            {"type": "object", "properties": {"system": {"type": "object", "properties": {
              "hostname": {"type": "string"}, "colour": {"type": "string"}}}}}
            """,
            "wrong.json":
                "{\"type\": \"object\",\n \"properties\": {\"a\": {\"type\": \"integer\", \"default\": \"x\"}}}",
            "list.json": "[]",
        ]
        try await Self.with(files) { board in
            let fine = try await Self.run(board, "check", "pump.json")
            #expect(fine.output == "pump.json: valid\n")
            #expect(fine.status == 0)
            let result = try await Self.run(
                board, "check", "pump.json", "again.json", "host.json", "wrong.json", "list.json")
            #expect(result.status == 65)
            let lines = result.output.split(separator: "\n").map(String.init)
            try #require(lines.count == 5)
            #expect(lines[0] == "pump.json: valid")
            #expect(lines[1].hasPrefix("again.json:2:3: #/properties/pump/properties/rate: "), "\(lines[1])")
            #expect(lines[1].contains("“pump/rate” is defined in pump.json already"))
            #expect(lines[2].hasPrefix("host.json:2:3: "), "\(lines[2])")
            #expect(lines[2].contains("“system/hostname” is defined in Cleat itself already"))
            #expect(lines[3].hasPrefix("wrong.json:2:42: #/properties/a/default: default: "), "\(lines[3])")
            #expect(lines[4].hasPrefix("list.json:1:1: #: "), "\(lines[4])")
            let json = try await Self.run(board, "check", "--output", "json", "wrong.json")
            #expect(try JSONReader.read(json.output)["files"]?[0]?["errors"]?[0]?["code"] == "invalid_keyword")
        }
    }
}
