import CleatJSON
import CleatTestSupport
import Testing

@testable import CleatSettings

@Suite struct SettingsTreeTests {
    private func path(_ text: String) throws -> SettingPath { try SettingPath(text) }

    private func tree(_ pairs: [(String, JSONValue)]) throws -> SettingsTree {
        SettingsTree(try pairs.map { (try SettingPath($0.0), $0.1) })
    }

    @Test func ordersByTheBytesOfTheWholePath() throws {
        let tree = try tree([("a/b", 1), ("a-b", 2), ("a/b-c", 3), ("a0", 4), ("a/c/d", 5), ("é", 6), ("e\u{301}", 7)])
        #expect(tree.rows(under: nil).map(\.path.text) == ["a-b", "a/b", "a/b-c", "a/c/d", "a0", "e\u{301}", "é"])
        #expect(tree.rows(under: try path("a")).map(\.path.text) == ["a/b", "a/b-c", "a/c/d"])
        #expect(tree.rows(under: try path("a/b")).map(\.path.text) == ["a/b"])
        #expect(tree.value(at: try path("a")) == ["b": 1, "b-c": 3, "c": ["d": 5]])
        #expect(tree.value(at: try path("é")) == 6)
        #expect(tree.value(at: try path("x")) == nil)
        #expect(SettingsTree().value(at: nil) == [:])
    }

    @Test func theLaterOfTwoRowsCounts() throws {
        let tree = try tree([("b", 1), ("a", 1), ("b", 2), ("b", 3)])
        #expect(tree.count == 2)
        #expect(tree[try path("b")] == 3)
    }

    @Test(arguments: [1, 95, 96, 97, 400]) func addedRowsMakeTheSameTree(_ count: Int) throws {
        let rows = try (0..<count).map {
            SettingsTree.Row(path: try path("p/n\(1000 + $0)/v"), value: .string("\($0)"))
        }
        var inOrder = SettingsTree()
        for row in rows { inOrder.add(row) }
        var shuffled = SettingsTree()
        for row in rows.shuffled() + rows.shuffled() { shuffled.add(row) }
        let whole = SettingsTree(rows)
        for tree in [inOrder, shuffled] {
            #expect(tree == whole)
            #expect(tree.bytes == whole.bytes)
            #expect(tree[rows[count / 2].path] == rows[count / 2].value)
        }
    }

    @Test func aValueThatReplacesAnotherOneLeavesItsNeighbours() throws {
        var tree = try tree([("a", 1), ("a-b", 2), ("b/c", [1, 2]), ("b/d", [:])])
        let bytes = tree.bytes
        #expect(
            tree.apply(try ChangeSet([Change(try path("a"), "x"), Change(try path("b/c"), 3)])).map(\.path.text) == [
                "a", "b/c",
            ])
        #expect(tree.rows(under: nil).map(\.value) == ["x", 2, 3, [:]])
        tree.apply(try ChangeSet([Change(try path("a"), 1), Change(try path("b/c"), [1, 2])]))
        #expect(tree.bytes == bytes && tree.count == 4)
    }

    @Test func setsReplaceWhatStandsInTheWay() throws {
        var tree = try tree([("a", 1), ("b/c", 2), ("b/d/e", 3), ("b-x", 4)])
        func apply(_ text: String, _ value: JSONValue?) throws -> [String] {
            tree.apply(try ChangeSet([Change(try path(text), value)])).map {
                "\($0.path): \($0.old?.description ?? "-") -> \($0.new?.description ?? "-")"
            }
        }
        #expect(try apply("a/x/y", 9) == ["a: 1 -> -", "a/x/y: - -> 9"])
        #expect(try apply("b", "s") == ["b: - -> \"s\"", "b/c: 2 -> -", "b/d/e: 3 -> -"])
        #expect(try apply("b", "s") == [])
        #expect(try apply("a", nil) == ["a/x/y: 9 -> -"])
        #expect(try apply("a", nil) == [])
        #expect(try apply("m/e", [:]) == ["m/e: - -> {}"])
        #expect(try apply("m/e", [:]) == [])
        #expect(try apply("m/e/x", 1) == ["m/e: {} -> -", "m/e/x: - -> 1"])
        #expect(try apply("m/e", [:]) == [])
        #expect(tree.rows(under: nil).map(\.path.text) == ["b", "b-x", "m/e/x"])
    }

    @Test func pagesAreWhole() throws {
        var rows: [(SettingPath, JSONValue)] = []
        for index in 0..<1000 { rows.append((try path("p/\(index * 7919 % 1000)/v"), .integer(Int64(index)))) }
        rows += [(try path("o"), 1), (try path("p-"), 1), (try path("p0"), 1)]
        let tree = SettingsTree(rows.shuffled())
        for prefix in [nil, try path("p")] {
            let all = tree.rows(under: prefix)
            #expect(all.count == (prefix == nil ? 1003 : 1000))
            #expect(all == all.sorted { $0.path < $1.path })
            for limit in [1, 7, 128, 5000] {
                var pages: [SettingsTree.Row] = []
                while true {
                    let page = tree.rows(under: prefix, after: pages.last?.path, limit: limit)
                    if page.isEmpty { break }
                    #expect(page.count <= limit)
                    pages += page
                }
                #expect(pages == all)
            }
        }
        // A page may begin after a path that is gone, or that stands outside.
        #expect(tree.rows(under: try path("p"), after: try path("a"), limit: 2).first?.path.text == "p/0/v")
        #expect(tree.rows(under: try path("p"), after: try path("p/5"), limit: 1).first?.path.text == "p/5/v")
        #expect(tree.rows(under: try path("p"), after: try path("q"), limit: 1).isEmpty)
        #expect(tree.rows(under: try path("o"), after: try path("o")).isEmpty)
        #expect(tree.rows(under: try path("o"), limit: 0).isEmpty)
    }

    @Test(arguments: 1...8)
    func agreesWithADictionary(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var tree = SettingsTree()
        var model: [SettingPath: JSONValue] = [:]
        for step in 0..<1200 {
            let path = try path("k\(Int.random(in: 0..<500, using: &generator))/v")
            let value: JSONValue? =
                Int.random(in: 0..<(step < 700 ? 5 : 2), using: &generator) == 0 ? nil : .integer(Int64(step))
            let expected = model[path] == value ? [] : [SettingDifference(path: path, old: model[path], new: value)]
            #expect(tree.apply(try ChangeSet([Change(path, value)])) == expected, "seed \(seed)")
            model[path] = value
        }
        #expect(tree.count == model.count)
        #expect(tree.rows(under: nil).map(\.path) == model.keys.sorted())
        #expect(tree.runs.allSatisfy { !$0.isEmpty && $0.count <= SettingsTree.runLength })
        #expect(tree == SettingsTree(model.map { ($0.key, $0.value) }))
        #expect(tree.bytes == SettingsTree(model.map { ($0.key, $0.value) }).bytes)
        for (path, value) in model { #expect(tree[path] == value) }
        for path in model.keys { tree.apply(try ChangeSet([Change(path, nil)])) }
        #expect(tree.isEmpty)
        #expect(tree.bytes == 0)
        #expect(tree.runs.isEmpty)
    }

    @Test(arguments: TestMachine.seeds(50, briefly: 12))
    func differencesLeadFromOneTreeToAnotherAndBack(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let old = RandomSettings.tree(using: &generator)
            let new = RandomSettings.tree(using: &generator)
            let differences = SettingsTree.differences(from: old, to: new)
            #expect(differences.isEmpty == (old == new))
            #expect(differences.map(\.path) == differences.map(\.path).sorted())
            var tree = old
            tree.apply(differences)
            #expect(tree == new, "seed \(seed)")
            tree.apply(differences.map(\.reversed))
            #expect(tree == old, "seed \(seed)")
        }
    }

    @Test("Of large trees only the runs that differ are compared, and no more paths are returned than asked for")
    func changedPathsOfLargeTrees() throws {
        let old = SettingsTree(try (0..<10_000).map { (try path("m/\(String($0 + 100_000))"), .integer(Int64($0))) })
        #expect(old.changedPaths(since: old, limit: 0) == [])
        var new = old
        let changed = try ["m/100000", "m/105000", "m/109999"].map { try path($0) }
        new.apply(try ChangeSet(changed.map { Change($0, .integer(-1)) }))
        #expect(new.changedPaths(since: old, limit: 3) == changed && old.changedPaths(since: new, limit: 3) == changed)
        #expect(new.changedPaths(since: old, limit: 2) == nil)
        // Runs that are split, emptied and removed have other places afterwards.
        for number in 0..<200 { new.apply(try ChangeSet([Change(try path("m/100500x\(number)"), 1)])) }
        for number in 100_700..<101_100 { new.apply(try ChangeSet([Change(try path("m/\(number)"), nil)])) }
        let differences = SettingsTree.differences(from: old, to: new).map(\.path)
        #expect(differences.count == 603 && new.changedPaths(since: old, limit: .max) == differences)
        #expect(old.changedPaths(since: new, limit: .max) == differences && !new.isIdentical(to: old))
        #expect(SettingsTree().changedPaths(since: old, limit: .max)?.count == 10_000)
    }

    @Test("A group is large from about a thousand rows on, whatever is before and after it")
    func largeGroups() throws {
        func tree(_ counts: [(String, Int)]) throws -> SettingsTree {
            SettingsTree(
                try counts.flatMap { name, count in
                    try (0..<count).map { (try path("\(name)/\($0)/x"), JSONValue.integer(1)) }
                })
        }
        let large = try tree([("a", 100), ("a-b", 3_000), ("m", 2_000), ("z", 100)])
        for (name, isLarge) in [
            ("a", false), ("a-b", true), ("m", true), ("z", false), ("m/0", false), ("m/0/x", false), ("n", false),
            ("A", false), ("zz", false),
        ] { #expect(large.isLarge(below: try path(name)) == isLarge, "\(name)") }
        for count in [0, 1, 96, 500] {
            #expect(!(try tree([("m", count)])).isLarge(below: try path("m")), "\(count)")
        }
        #expect(try tree([("m", 1_200)]).isLarge(below: try path("m")))
    }

    @Test(arguments: 1...50)
    func whatApplyReportsIsTheDifference(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let root = try path("r")
        for _ in 0..<20 {
            let old = RandomSettings.tree(using: &generator)
            var changes = [Change(root, RandomSettings.object(depth: 3, using: &generator))]
            if Bool.random(using: &generator) {
                changes = try ["a", "b", "c/a", "c/b"].map { name in
                    Change(
                        try path("r/\(name)"),
                        Bool.random(using: &generator) ? nil : RandomSettings.value(depth: 2, using: &generator))
                }
            }
            var new = old
            let reported = new.apply(try ChangeSet(changes))
            #expect(reported == SettingsTree.differences(from: old, to: new), "seed \(seed)")
            #expect(new.changedPaths(since: old, limit: .max) == reported.map(\.path), "seed \(seed)")
            #expect(old.isIdentical(to: old) && (reported.isEmpty || !new.isIdentical(to: old)))
            let paths = new.rows(under: nil).map(\.path)
            for path in paths { #expect(!new.hasRows(below: path), "seed \(seed): \(path) has rows below") }
        }
    }

    @Test(arguments: 1...30)
    func objectsAndTreesHoldTheSame(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let value = RandomSettings.object(depth: 4, using: &generator)
            var tree = SettingsTree()
            tree.apply(try ChangeSet([Change(try path("r"), value)]))
            let result = tree.value(at: try path("r"))
            #expect(result == value, "seed \(seed): \(value) \(result ?? .null)")
        }
    }

    @Test func copiesShareTheirRuns() throws {
        let tree = SettingsTree(try (0..<10_000).map { (try path("k/\($0)"), .integer(Int64($0))) })
        var copy = tree
        copy.apply(try ChangeSet([Change(try path("k/5000"), 0)]))
        let changed = zip(tree.runs, copy.runs).filter { $0 != $1 }.count
        #expect(changed == 1)
        #expect(tree.runs.count < 200)
    }
}
