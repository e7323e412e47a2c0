import CleatJSON
import CleatTestSupport
import Testing

@testable import CleatSettings

@Suite struct MergePatchTests {
    /// RFC 7396, appendix A.
    @Test(
        arguments: [
            (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
            (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
            (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
            (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
            (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
            (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
            (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
            (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
            (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
            (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
            (#"{"a":"foo"}"#, #"null"#, nil),
            (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
            (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
            (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
            (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
        ] as [(String, String, String?)])
    func followsTheRFC(_ target: String, _ patch: String, _ expected: String?) throws {
        let result = MergePatch.apply(try JSONReader.read(patch), to: try JSONReader.read(target))
        #expect(try result == expected.map { try JSONReader.read($0) })
    }

    /// The same examples, where both are objects that a tree can hold, through a change set.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":1}"#, #"{"a":1}"#),
        (#"{"a":1}"#, #"{"a":{"b":"c"}}"#, #"{"a":{"b":"c"}}"#),
        (#"{"a":{}}"#, #"{"a":{"b":"c"}}"#, #"{"a":{"b":"c"}}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{}}"#, #"{"a":{"b":"c"}}"#),
    ])
    func treesMergeAlike(_ target: String, _ patch: String, _ expected: String) throws {
        func changes(_ text: String) throws -> ChangeSet {
            try ChangeSet([Change(try SettingPath("r"), JSONReader.read(text))])
        }
        var tree = SettingsTree()
        tree.apply(try changes(target))
        let before = tree
        let differences = tree.apply(try changes(patch))
        #expect(tree.value(at: try SettingPath("r")) ?? [:] == (try JSONReader.read(expected)))
        #expect(differences == SettingsTree.differences(from: before, to: tree))
    }

    @Test(arguments: 1...50)
    func patchesLeadFromOneValueToAnother(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let old = RandomSettings.object(depth: 3, using: &generator)
            let new = RandomSettings.object(depth: 3, using: &generator)
            let patch = MergePatch.patch(from: old, to: new)
            #expect((patch == nil) == (old == new))
            #expect(patch.flatMap { MergePatch.apply($0, to: old) } ?? old == new, "seed \(seed): \(old) to \(new)")
        }
    }
}

enum RandomSettings {
    static func object(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        var object = JSONObject()
        for key in ["a", "b", "c", "a-b", "a/b", "~"] where Int.random(in: 0...2, using: &generator) > 0 {
            object[key] = value(depth: depth - 1, using: &generator)
        }
        return .object(object)
    }

    static func value(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0...(depth > 0 ? 6 : 3), using: &generator) {
        case 0: .integer(Int64.random(in: 0...2, using: &generator))
        case 1: .bool(Bool.random(using: &generator))
        case 2: .string("x")
        case 3: [.integer(Int64.random(in: 0...1, using: &generator)), "y"]
        default: object(depth: depth, using: &generator)
        }
    }

    static func tree(using generator: inout SeededGenerator, depth: Int = 4) -> SettingsTree {
        var tree = SettingsTree()
        if let root = try? SettingPath("r"),
            let set = try? ChangeSet([Change(root, object(depth: depth, using: &generator))])
        {
            tree.apply(set)
        }
        return tree
    }
}
