import CleatAPI
import CleatJSON
import CleatSettings
import Testing

@testable import cleat

/// Tests of the differences between a text and a board.
@Suite struct EditingTests {
    private static let outline = SchemaOutline([
        .init(path: "a/b", types: ["integer"], title: "B", description: "What b is.", default: 5),
        .init(path: "a/list", types: ["array"]), .init(path: "a/secret", types: ["string"], title: "Key"),
        .init(path: "map/{name}/x", types: ["string"], title: "X"), .init(path: "map/{name}/y", types: ["string"]),
        .init(path: "nest/{name}/deep/x", types: ["string"]), .init(path: "nest/{name}/y", types: ["string"]),
        .init(path: "free/{name}", types: ["string", "number"]), .init(path: "any/{name}/value", types: []),
    ])

    private static func snapshot(_ rows: [String: JSONValue], withheld: [String] = []) throws -> SettingsSnapshot {
        var snapshot = SettingsSnapshot(reference: .init(store: "s", generation: 4))
        snapshot.settings = SettingsTree(try rows.map { (try SettingPath($0.key), $0.value) })
        for path in withheld { snapshot.withheld[try SettingPath(path)] = "a secret, which is set" }
        return snapshot
    }

    /// The changes as text: `path=value`, `-path`.
    private static func changes(
        _ text: String, _ snapshot: SettingsSnapshot, _ mode: SettingsComparison.Mode
    ) throws -> [String] {
        let comparison = SettingsComparison(
            try SettingsDocument(Array(text.utf8)), with: snapshot, outline: outline, mode: mode)
        return comparison.changes.map { change in change.value.map { "\(change.path)=\($0)" } ?? "-\(change.path)" }
            + comparison.kept.map { "kept \($0)" }
    }

    @Test(
        arguments: [
            ("{}", []), ("{a: {b: 1}}", []), ("{a: {b: 2}}", ["a/b=2"]), ("{a: {b: null}}", ["-a/b"]),
            ("{a: null}", ["-a"]), ("{a: {list: null}}", []), ("{a: {}}", []), ("{map: {}}", []),
            ("{map: {n: {}}}", ["map/n={}"]), ("{map: {e: {}}}", []), ("{map: {full: {}}}", []),
            ("{map: {e: {x: 'v'}}}", [#"map/e/x="v""#]), ("{map: {'a/b': {x: ''}}}", [#"map/a~1b/x="""#]),
            ("{a: {secret: 's'}}", [#"a/secret="s""#]), ("{a: {secret: null}}", ["-a/secret"]),
            ("{a: {b: 1.0}}", []), ("{nothing: 1}", ["nothing=1"]),
        ] as [(String, [String])])
    func merges(_ text: String, _ expected: [String]) throws {
        let snapshot = try Self.snapshot(["a/b": 1, "map/e": [:], "map/full/x": "1"], withheld: ["a/secret"])
        #expect(try Self.changes(text, snapshot, .merge) == expected)
    }

    @Test(
        arguments: [
            ("{a: {b: 1}, map: {e: {}, full: {x: '1', y: '2'}}}", nil, ["kept a/secret"]),
            ("{}", nil, ["-a/b", "-map/e", "-map/full/x", "-map/full/y", "kept a/secret"]),
            ("{}", "map/full", ["-map/full/x", "-map/full/y"]),
            ("{map: {full: {x: '1'}}}", "map", ["-map/e", "-map/full/y"]),
            ("{map: {full: {x: null, y: '2'}}}", "map/full", ["-map/full/x"]),
            ("{map: {e: {x: 'v'}, full: {x: '1', y: '2'}}}", "map", [#"map/e/x="v""#]),
            ("{map: {full: {}}}", "map/full", ["map/full={}", "-map/full/x", "-map/full/y"]),
            ("{a: {}}", "a", ["-a/b", "kept a/secret"]),
            ("{map: {}}", "map", ["-map/e", "-map/full/x", "-map/full/y"]),
            ("{nest: {n: {deep: {}}}}", "nest", ["nest/n={}", "-nest/n/deep/x"]),
            ("{nest: {n: {deep: {}, y: '1'}}}", "nest", ["-nest/n/deep/x", #"nest/n/y="1""#]),
            ("{map: 7}", "map", ["map=7"]), ("{map: null}", "map", ["-map"]),
            ("{a: {secret: 's'}}", "a", ["-a/b", #"a/secret="s""#]),
            ("{a: {secret: null}}", "a", ["-a/b", "-a/secret"]),
        ] as [(String, String?, [String])])
    func replaces(_ text: String, _ prefix: String?, _ expected: [String]) throws {
        let snapshot = try Self.snapshot(
            ["a/b": 1, "map/e": [:], "map/full/x": "1", "map/full/y": "2"], withheld: ["a/secret"])
        let nested = try Self.snapshot(["nest/n/deep/x": "1"])
        let path = try prefix.map { try SettingPath($0) }
        let board = prefix == "nest" ? nested : snapshot
        #expect(try Self.changes(text, board, .replace(path)) == expected)
    }

    /// In a map of any values, an empty object replaces a single value, and its entry stays.
    @Test(
        arguments: [
            ("{any: {n: {value: {}}}}", ["any/n/value={}"], ["any/n/value={}"]),
            ("{any: {n: {}}}", [], ["any/n={}", "-any/n/value"]), ("{any: {n: {value: 'v'}}}", [], []),
            ("{any: {e: {value: {}}}}", [], ["-any/n/value"]),
        ] as [(String, [String], [String])])
    func emptyObjects(_ text: String, _ merged: [String], _ replaced: [String]) throws {
        let snapshot = try Self.snapshot(["any/n/value": "v", "any/e/value": [:]])
        #expect(try Self.changes(text, snapshot, .merge) == merged)
        let others = try Self.snapshot(
            text.contains(" {e:") ? ["any/n/value": "v", "any/e/value": [:]] : ["any/n/value": "v"])
        #expect(try Self.changes(text, others, .replace(nil)) == replaced)
    }

    @Test(
        arguments: [
            ("{\n  a: {b: 1,\n  }", 3, "end"), ("[1]", 1, "object"), ("{a: {\n'..': 1}}", 2, "name"),
            ("{a: 1,\n a: 2}", 2, "twice"), ("{a: {'': 1}}", 1, "name"), ("{x: 1}", 1, "below a/b"),
        ] as [(String, Int, String)])
    func saysWhere(_ text: String, _ line: Int, _ word: String) throws {
        do {
            _ = try SettingsDocument.read(Array(text.utf8), under: try SettingPath("a/b"))
            Issue.record("taken: \(text)")
        } catch let problem as SettingsDocument.Problem {
            #expect(problem.position.line == line, "\(problem)")
            #expect(problem.message.contains(word), "\(problem)")
        }
    }

    @Test func exportSaysWhatTheSchemaSays() throws {
        var snapshot = try Self.snapshot(
            ["a/b": 1, "map/one/x": "1", "map/two/x": "2", "map/e": [:]], withheld: ["a/secret", "gone"])
        snapshot.defaults[try SettingPath("a/list")] = ["z"]
        let text = SettingsText(snapshot: snapshot, outline: Self.outline, showsDefaults: true, heading: "Top.").json5
        #expect(
            text == """
                // Top.
                {
                    a: {
                        // B: What b is. (default: 5)
                        b: 1,
                        // list: ["z"],
                        // Key
                        // secret: a secret, which is set; omitted here, and unchanged
                    },
                    // gone: a secret, which is set; omitted here, and unchanged
                    map: {
                        e: {},
                        one: {
                            // X
                            x: "1",
                        },
                        two: {
                            x: "2",
                        },
                    },
                }

                """)
    }

    @Test func exportKeepsAValueAboveAWithheldOne() throws {
        let snapshot = try Self.snapshot(["a/b": [1], "a/e": [:], "c": 2], withheld: ["a/b/x", "a/e/y", "c/d/z"])
        let text = SettingsText(snapshot: snapshot).json5
        #expect(
            text == """
                {
                    a: {
                        // b/x: a secret, which is set; omitted here, and unchanged
                        b: [1],
                        e: {
                            // y: a secret, which is set; omitted here, and unchanged
                        },
                    },
                    // c/d/z: a secret, which is set; omitted here, and unchanged
                    c: 2,
                }

                """)
    }

    /// A large text is written in parts, which make up the whole.
    @Test func exportIsWrittenInParts() throws {
        var rows: [String: JSONValue] = [:]
        for entry in 0..<3_000 {
            rows["map/e\(entry)/x"] = .string(String(repeating: "x", count: 20))
            rows["map/e\(entry)/y"] = .integer(Int64(entry))
        }
        let text = try SettingsText(snapshot: Self.snapshot(rows), outline: Self.outline)
        var parts: [String] = []
        text.writeJSON5 { (part: String) throws(Never) in parts.append(part) }
        #expect(parts.count > 1 && parts.allSatisfy { $0.utf8.count < 1 << 17 })
        #expect(parts.joined() == text.json5)
        #expect(try JSONReader.read(text.json5, dialect: .json5) == text.value)
    }

    /// The text that is made while pages arrive is that of the whole settings, or it is not made.
    @Test(arguments: 0..<200) func exportIsTheSameWhileItArrives(seed: Int) throws {
        var random = Dice(state: UInt64(seed + 1) &* 0x9e37_79b9_7f4a_7c15 | 1)
        let keys = ["a", "a-b", "a.b", "b", "map", "secret", "list", "one", "é", "x"]
        // Half of the boards have what is written in another place than it is listed.
        let isPlain = seed.isMultiple(of: 2)
        var infos: [SettingPath: SettingInfo] = [:]
        for _ in 0..<random.roll(40) {
            let path = try SettingPath(segments: (0...random.roll(3)).map { _ in keys[random.roll(keys.count)] })
            if isPlain, infos.keys.contains(where: { $0.isPrefix(of: path) || path.isPrefix(of: $0) }) { continue }
            var info = SettingInfo(path: path.text, value: 1, origin: .committed, inForce: true)
            switch random.roll(isPlain ? 5 : 9) {
            case 0: (info.value, info.secret) = (nil, true)
            case 1: info.origin = .schemaDefault
            case 2: info.value = ["k": [1, "x"]]
            case 6: info.value = [:]
            case 7: info.inactive = "its type has changed"
            case 8: (info.value, info.secret, info.origin) = (nil, true, .schemaDefault)
            default: info.value = .string(String(repeating: "t", count: random.roll(9_000)))
            }
            infos[path] = info
        }
        let outline = Self.outline
        var snapshot = SettingsSnapshot(reference: .init(store: "s", generation: 4))
        var streamed = StreamedExport(outline: outline, heading: "Top.")
        var isTaken = true
        for (path, info) in infos.sorted(by: { $0.key < $1.key }) {
            snapshot.note(info, at: path, isIncluded: info.origin == .committed)
            isTaken = isTaken && streamed.add(info, at: path)
        }
        #expect(isTaken || !isPlain)
        guard isTaken else { return }
        streamed.finish()
        #expect(streamed.parts.joined() == SettingsText(snapshot: snapshot, outline: outline, heading: "Top.").json5)
        #expect(streamed.parts.allSatisfy { $0.utf8.count < 1 << 17 })
    }

    @Test(
        arguments: [
            (["c", "c-d", "d"], true), (["c", "c-d", "c/d"], false), (["c-d", "c/d", "c-e"], false),
            (["c", "c"], false),
            (["c/d", "c/d/e"], false), (["c/d", "c/d-e", "c/d/e"], false),
        ] as [([String], Bool)]) func exportWhileItArrivesNeedsTheOrderOfPaths(_ paths: [String], isTaken: Bool) throws
    {
        var export = StreamedExport(outline: Self.outline, heading: "Top.")
        let taken = try paths.map {
            export.add(SettingInfo(path: $0, value: 1, origin: .committed, inForce: true), at: try SettingPath($0))
        }
        #expect(taken.dropLast().allSatisfy(\.self) && taken.last == isTaken)
    }

    /// An applied export changes nothing, in both forms and both ways.
    @Test(arguments: 0..<150) func exportIsTakenBack(seed: Int) throws {
        var random = Dice(state: UInt64(seed + 1) &* 0x9e37_79b9_7f4a_7c15 | 1)
        let keys = ["a", "b-c", "b", "eth0.100", "x/y", "~", "é", "null", "class", " ", "\"", "1", "\u{202e}", "日本"]
        let values: [JSONValue] = [
            [:], 0, .integer(.max), .integer(.min), .number(-0.0), 1e300, 0.1, true, "", "line\nend", "\u{2028}//*/",
            [], [1, ["k": .null, "": [:]]], "//! x", .string("\u{0}\u{7f}\u{feff}"),
        ]
        var tree = SettingsTree()
        var snapshot = try Self.snapshot([:])
        for _ in 0..<random.roll(30) {
            let segments = (0...random.roll(4)).map { _ in keys[random.roll(keys.count)] }
            let path = try SettingPath(segments: segments)
            tree.apply(try ChangeSet([Change(path, values[random.roll(values.count)])]))
        }
        snapshot.settings = tree
        let outline = SchemaOutline([.init(path: "b/{name}/a", types: ["string"], title: "T \u{2028} {")])
        for hidden in ["secret/one", "b/a/hidden"].map(SettingPath.init(trusted:)) where !tree.contains(hidden) {
            snapshot.withheld[hidden] = "a secret"
        }
        let export = SettingsText(snapshot: snapshot, outline: outline, showsDefaults: true, heading: "//! \u{85}")
        for text in [export.json5, JSONWriter.write(export.value, style: .pretty)] {
            let document = try SettingsDocument(Array(text.utf8))
            for mode in [SettingsComparison.Mode.merge, .replace(nil)] {
                let comparison = SettingsComparison(document, with: snapshot, outline: outline, mode: mode)
                #expect(comparison.changes.isEmpty, "\(comparison.changes) \(text)")
            }
            #expect(EditorText(text).text.utf8.count <= text.utf8.count)
        }
    }

    @Test func messagesStandAtTheirLines() throws {
        let text = EditorText("{\n    a: {\n        b: 1,\n    },\n}\n")
        let shown = text.text(with: [
            .init(position: .init(line: 3, column: 12), message: "a/b: is 1\nand // more"),
            .init(position: .init(line: 3, column: 9), message: "again"),
            .init(position: .init(line: 99, column: 1), message: "at the end"),
        ])
        #expect(
            shown
                == "{\n    a: {\n        //! a/b: is 1\n        //! and // more\n        //! again\n        b: 1,\n"
                + "    },\n}\n\n//! at the end")
        #expect(EditorText(shown) == text)
        #expect(try SettingsDocument(Array(shown.utf8)).leaves.count == 1)
        #expect(!text.isEmpty)
        #expect(EditorText("\n// only\n   \n//! this\n").isEmpty)
    }
}

extension SettingPath {
    /// A path that the test wrote itself.
    fileprivate init(trusted text: String) {
        do {
            try self.init(text)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

/// Repeatable chance.
private struct Dice {
    var state: UInt64

    mutating func roll(_ sides: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(sides))
    }
}
