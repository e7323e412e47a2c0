import CleatAPI
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import Synchronization
import Testing

@testable import cleat

/// `edit`, `apply`, `add`, `reset` and their like with the real program, against a service that follows a script.
@Suite struct EditCommandTests {
    private static let list: CannedBoard.Answer = { _ in
        SettingsInterface.List.Reply(
            store: "s", generation: 4,
            settings: [
                .init(path: "a/b", value: 1, origin: .committed, inForce: true),
                .init(path: "a/c", value: "x", origin: .schemaDefault, inForce: false),
                .init(path: "a/key", origin: .committed, inForce: true, secret: true),
                .init(path: "a/v", value: 9, origin: .vendor, inForce: true),
            ]
        ).wire
    }
    private static let describe: CannedBoard.Answer = { call in
        let all = ["a/b", "a/c", "a/key", "a/v"].map { SettingDescription(path: $0, types: ["integer", "string"]) }
        let list = SettingDescription(
            path: "a/list", types: ["array"], constraints: ["items": ["type": "string"]])
        return SettingsInterface.Describe.Reply(
            descriptions: call.parameters["prefix"] == "a/list" ? [list] : all
        ).wire
    }
    /// Takes anything but the number 13.
    private static let set: CannedBoard.Answer = { call in
        let parameters = try SettingsInterface.Set.Parameters(wire: call.parameters)
        if let change = parameters.changes.first(where: { $0.value == 13 }) {
            throw APIError.invalidValue([
                .init(path: change.path, value: 13, code: "range", reason: "is 13, which is unlucky")
            ]).varlinkError
        }
        return SettingsInterface.Set.Reply(
            id: parameters.id ?? "made", store: "s", generation: 5,
            state: parameters.check == true ? .checked : .confirmed,
            changes: parameters.changes.map { .init(path: $0.path, new: $0.value) }
        ).wire
    }
    private static let answers = [
        SettingsInterface.List.name: list, SettingsInterface.Describe.name: describe, SettingsInterface.Set.name: set,
    ]

    private func edit(
        _ board: CannedBoard, _ editor: String, _ arguments: [String] = ["edit"]
    ) async throws -> CannedBoard.Finished {
        try await board.cleat(arguments, environment: ["EDITOR": editor, "TMPDIR": board.directory.text])
    }

    private func left(_ board: CannedBoard) async throws -> String {
        try await board.script(#"cd "$1" && ls -d cleat-edit-*/* 2>/dev/null"#, [board.directory.text]).output
    }

    @Test func anEditIsCommitted() async throws {
        try await CannedBoard.serving(Self.answers) { board in
            let result = try await edit(board, "sed -i 's/b: 1/b: 2/; s,// c:,c:,'")
            #expect(result.status == 0, "\(result)")
            #expect(result.output.hasPrefix("a/b: unset -> 2\na/c: unset -> x\ngeneration 5"), "\(result.output)")
            let deleted = try await edit(board, "sed -i '/ b: 1/d'")
            #expect(deleted.output.hasPrefix("a/b: (secret)\n") || deleted.output.contains("a/b"), "\(deleted)")
            #expect(try await left(board).isEmpty)
        }
    }

    @Test(
        arguments: [
            ("true", 0, "not changed"), ("truncate -s 0", 0, "emptied"),
            ("sed -i 's,$, // remark,'", 0, "nothing differs"),
            ("false", 1, "`false` exited with 1"), ("/nowhere/editor", 1, "exited with 127"),
            (#"sh -c 'sed -i "s/b: 1/b: 2/" "$0"; exit 3'"#, 1, "your text is kept in"),
            (#"sh -c 'sed -i "s/b: 1,/b: 13,/" "$0"'"#, 65, "which is unlucky"),
            (#"sh -c 'echo nonsense >"$0"'"#, 65, "settings.json5:1:1: "),
        ] as [(String, Int32, String)])
    func anEditThatChangesNothing(_ editor: String, _ status: Int32, _ word: String) async throws {
        try await CannedBoard.serving(Self.answers) { board in
            let result = try await edit(board, editor)
            #expect(result.status == status, "\(result)")
            #expect((result.output + result.errorText).contains(word), "\(result)")
            // The text of a real edit is kept, and no other user may read it.
            #expect(try await left(board).isEmpty != result.errorText.contains("kept in"), "\(result)")
            let modes = try await board.script(
                #"cd "$1" && stat -c %a cleat-edit-* cleat-edit-*/settings.json5 2>/dev/null; true"#,
                [board.directory.text])
            #expect(modes.output.isEmpty || modes.output == "700\n600\n", "\(modes.output)")
        }
    }

    /// The first round makes a mistake; the second finds the message at its line and corrects it.
    @Test func aMistakeIsShownAtItsLine() async throws {
        try await CannedBoard.serving(Self.answers) { board in
            let editor = board.directory.appending("editor")
            try board.directory.write(
                """
                #!/bin/sh
                if grep -B0 -A1 '//! a/b: is 13, which is unlucky' "$1" | grep -q 'b: 13'; then
                    sed -i 's/b: 13/b: 14/' "$1"
                else
                    sed -i 's/b: 1,/b: 13,/' "$1"
                fi
                """, to: "editor", mode: 0o755)
            let result = try await edit(board, editor)
            #expect(result.status == 0, "\(result)")
            #expect(result.output.hasPrefix("a/b: unset -> 14\ngeneration 5"), "\(result.output)")
        }
    }

    @Test func applySaysWhereInTheFile() async throws {
        try await CannedBoard.serving(Self.answers) { board in
            let file = board.directory.appending("f.json5")
            for (text, status, word) in [
                ("{ a: {\n  b: 13 } }", 65, "\(file):2:6: a/b: is 13"), ("{ a: {\n b: ] }", 65, "\(file):2:5: "),
                ("{ a: { b: 1 } }", 0, "nothing changed"), ("{ a: { b: 3, c: 'y' } }", 0, "generation 5"),
                ("{ a: { b: null } }", 0, "generation 5"),
            ] as [(String, Int32, String)] {
                try board.directory.write(text, to: "f.json5")
                let result = try await board.cleat("apply", file)
                #expect(result.status == status, "\(result)")
                #expect((result.output + result.errorText).contains(word), "\(text): \(result)")
            }
            let replaced = try await board.script(
                #"echo '{ a: { b: 1 } }' | "$CLEAT" apply --replace - --output json"#)
            let object = try #require(try JSONReader.read(replaced.output).objectValue, "\(replaced)")
            #expect(object["state"] == "unchanged" && object["kept"] == ["a/key"])
            let many = (0..<5000).map { "k\($0): 1" }.joined(separator: ",")
            try board.directory.write("{ a: { \(many) } }", to: "f.json5")
            let result = try await board.cleat("apply", file)
            #expect(result.status == 65 && result.errorText.contains("5000 settings"), "\(result)")
        }
    }

    @Test func applyTriesAMergeAgain() async throws {
        let calls = Mutex(0)
        var answers = Self.answers
        answers[SettingsInterface.Set.name] = { call in
            let number = calls.withLock { count in
                count += 1
                return count
            }
            guard number % 3 == 0 else {
                throw APIError.conflict(.init(store: "s", generation: 9), message: "too late").varlinkError
            }
            return try await Self.set(call)
        }
        try await CannedBoard.serving(answers) { board in
            let merged = try await board.script(#"echo '{ a: { b: 3 } }' | "$CLEAT" apply -"#)
            #expect(merged.status == 0, "\(merged)")
            let replaced = try await board.script(#"echo '{ a: { b: 3 } }' | "$CLEAT" apply --replace -"#)
            #expect(replaced.status == 75 && replaced.errorText.contains("too late"), "\(replaced)")
        }
    }

    @Test func valuesOfAListAreReadAsItsElements() async throws {
        try await CannedBoard.serving(Self.answers) { board in
            let added = try await board.cleat("add", "a/list", "42", "x", "--output", "json")
            let changes = try JSONReader.read(added.output).objectValue?["changes"]?.arrayValue
            #expect(changes?.map { $0["new"] } == ["42", "x"], "\(added)")
            let typed = try await board.script(#"printf 'se cret\n' | "$CLEAT" set --stdin a/key --output json"#)
            #expect(try JSONReader.read(typed.output)["changes"]?[0]?["new"] == "se cret", "\(typed)")
            let checked = try await board.cleat("set", "--check", "a/b=2", "--output", "json")
            #expect(try JSONReader.read(checked.output)["state"] == "checked", "\(checked)")
            let reset = try await board.cleat("reset")
            #expect(reset.status == 64 && reset.errorText.contains("--yes"), "\(reset)")
        }
    }

    /// A setting that is left out of a file would be unset when that file is applied.
    @Test(arguments: ["", "/a", "a//b", "a\u{1}b"])
    func aSettingWithoutAReadablePath(_ path: String) async throws {
        try await CannedBoard.serving([
            SettingsInterface.List.name: { _ in
                SettingsInterface.List.Reply(
                    store: "s", generation: 4,
                    settings: ["a", path].map { .init(path: $0, value: 1, origin: .committed, inForce: true) }
                ).wire
            }
        ]) { board in
            for words in [["export"], ["export", "--format", "json"]] {
                let result = try await board.cleat(words + ["--output", "json"])
                #expect(result.status == 1 && result.error == ["Reply", "speak"], "\(result)")
                #expect(result.output.isEmpty && result.errorText.contains("compare `cleat --version`"), "\(result)")
            }
        }
    }

    @Test func doctorEndsWithOneWhereItFindsSomething() async throws {
        let findings = Mutex(Samples.doctor)
        try await CannedBoard.serving([
            SettingsInterface.Doctor.name: { _ in findings.withLock { $0 }.wire },
            SettingsInterface.Why.name: { call in
                #expect(call.parameters == ["path": "system/hostname", "reveal": true])
                return Samples.why.wire
            },
        ]) { board in
            let ill = try await board.cleat("doctor")
            #expect(ill.status == 1 && ill.errorText.isEmpty && ill.output.contains("pump.json:3:7: "), "\(ill)")
            findings.withLock { $0 = .init(findings: []) }
            #expect(try await board.cleat("doctor").status == 0)
            let why = try await board.cleat("why", "system/hostname", "--reveal")
            #expect(why.output.contains("* committed"), "\(why)")
        }
    }
}
