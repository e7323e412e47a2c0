import CleatJSON
import Testing

@testable import CleatSettings

@Suite struct ChangeSetTests {
    private func set(_ pairs: [(String, JSONValue?)]) throws -> ChangeSet {
        try ChangeSet(pairs.map { Change(try SettingPath($0.0), $0.1) })
    }

    private func pairs(_ set: ChangeSet) -> [String] {
        set.changes.map { "\($0.path)=\($0.value?.description ?? "unset")" }
    }

    @Test func takesObjectsApart() throws {
        let value: JSONValue = [
            "eth0": ["mtu": 1500, "dns": [["a": .null]], "gateway": .null], "eth1": [:], "a/b~": true,
        ]
        #expect(
            pairs(try set([("network", value), ("system", .null), ("network-2", 1.0)])) == [
                "network-2=1", "network/a~1b~0=true", "network/eth0/dns=[{\"a\":null}]", "network/eth0/gateway=unset",
                "network/eth0/mtu=1500", "network/eth1={}", "system=unset",
            ])
    }

    @Test func sortsAndHashesIndependentlyOfOrder() throws {
        let one = try set([("b", 1), ("a", ["x": 1, "y": [1, 2.0]]), ("c", nil)])
        let other = try set([("c", .null), ("a", ["y": [1.0, 2], "x": 1.0]), ("b", 1)])
        #expect(one == other)
        #expect(one.canonicalText == other.canonicalText)
        #expect(one.canonicalText == #"[["a/x",1],["a/y",[1,2]],["b",1],["c",null]]"#)
        #expect(try set([("b", 2)]).canonicalText != set([("b", 1)]).canonicalText)
        #expect(try set([("b", nil)]).canonicalText != set([("b", "null")]).canonicalText)
    }

    @Test(
        arguments: [
            ([("a", 1), ("b", 2), ("a", 1)], ChangeSetError.Code.samePath, "a is changed twice"),
            ([("a/b", 1), ("a", ["c": 1])], .overlap, "a/b and a, which it is below"),
            ([("a", nil), ("a/b/c", 1)], .overlap, "a/b/c and a, "),
            ([("a", 1), ("a-b", 1), ("a/b", 1)], .overlap, "a/b and a,"),
            ([("a", [:]), ("a/b", 1)], .overlap, "a/b and a,"),
            ([("a", [:]), ("a/b", [:]), ("a/b/c", nil)], .overlap, "a/b and a,"),
            ([("a", [:]), ("a/b", 1), ("a/c", nil)], .overlap, "a/b and a,"),
            ([("a", ["": 1])], .invalidPath, "has a key that is not a valid name"),
            ([("a", ["b": ["..": 1]])], .invalidPath, "value of a/b"),
            ([("a", .number(.infinity))], .notANumber, "inf"),
            ([("a", ["b": [.number(.nan)]])], .notANumber, "nan"),
        ] as [([(String, JSONValue?)], ChangeSetError.Code, String)])
    func refuses(_ changes: [(String, JSONValue?)], _ code: ChangeSetError.Code, _ part: String) {
        let error = #expect(throws: ChangeSetError.self) { try set(changes) }
        #expect(error?.code == code)
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
    }

    @Test func anEntryIsEmptiedAndStays() throws {
        let emptying = try set([("m/e", [:]), ("m/e/x", nil), ("m/e/y/z", nil), ("z", 1)])
        #expect(pairs(emptying) == ["m/e/x=unset", "m/e/y/z=unset", "z=1", "m/e={}"])
        #expect(try ChangeSet(emptying.changes.reversed()) == emptying)
        for (rows, expected) in [
            (["m/e/x": 1, "m/e/y/z": 2], ["m/e: - -> {}", "m/e/x: 1 -> -", "m/e/y/z: 2 -> -", "z: - -> 1"]),
            // What the set does not name keeps the entry as it is.
            (["m/e/x": 1, "m/e/w": 2], ["m/e/x: 1 -> -", "z: - -> 1"]),
            ([:], ["m/e: - -> {}", "z: - -> 1"]),
        ] as [([String: JSONValue], [String])] {
            var tree = SettingsTree(try rows.map { (try SettingPath($0.key), $0.value) })
            let differences = tree.apply(emptying).map {
                "\($0.path): \($0.old?.description ?? "-") -> \($0.new?.description ?? "-")"
            }
            #expect(differences == expected)
        }
    }

    @Test func boundsTheCount() throws {
        let changes = try (0..<4097).map { Change(try SettingPath("a/\($0)"), 1) }
        #expect(try ChangeSet(Array(changes.dropLast())).count == 4096)
        let error = #expect(throws: ChangeSetError.self) { try ChangeSet(changes) }
        #expect(error?.code == .tooMany)
        #expect(error?.limit == 4096)
        // An object counts by its leaves.
        let object = JSONValue.object(JSONObject((0..<4097).map { ("k\($0)", 1) }))
        #expect(throws: ChangeSetError.self) { try set([("a", object)]) }
        let nearly = JSONValue.object(JSONObject((0..<4096).map { ("k\($0)", 1) }))
        #expect(try set([("a", nearly)]).count == 4096)
        #expect(throws: ChangeSetError.self) { try set([("a", nearly), ("b", 1)]) }
    }

    @Test func boundsTheSizeOfValues() throws {
        let large = JSONValue.string(String(repeating: "x", count: 256 * 1024 - 2))
        #expect(try set([("a", large)]).count == 1)
        let larger = JSONValue.string(String(repeating: "x", count: 256 * 1024 - 1))
        let error = #expect(throws: ChangeSetError.self) { try set([("a", larger)]) }
        #expect(error?.code == .valueTooLarge)
        #expect(error?.limit == 262_144)
        let two = JSONValue.string(String(repeating: "x", count: 2 << 20))
        #expect(throws: ChangeSetError.self) { try set([("a", two)]) }
        #expect(throws: ChangeSetError.self) { try set([("a", ["b": larger])]) }
        let many = (0..<17).map { ("p\($0)", Optional(large)) }
        #expect(#expect(throws: ChangeSetError.self) { try set(many) }?.limit == ChangeSet.maximumBytes)
    }

    @Test func boundsTheDepthOfValues() throws {
        func nested(_ depth: Int) -> JSONValue { (1..<depth).reduce([]) { value, _ in [value] } }
        #expect(try set([("a", nested(32))]).count == 1)
        #expect(#expect(throws: ChangeSetError.self) { try set([("a", nested(33))]) }?.code == .valueTooDeep)
        #expect(throws: ChangeSetError.self) { try set([("a", nested(2000))]) }
        let objects = (0..<17).reduce(JSONValue.integer(1)) { value, _ in ["k": value] }
        #expect(#expect(throws: ChangeSetError.self) { try set([("a", objects)]) }?.code == .invalidPath)
    }
}
