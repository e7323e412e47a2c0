import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Random operations, failures and crashes against a model that is a dictionary.
@Suite(.tags(.board)) struct ModelTests {
    /// A random operation, on a small set of paths so that operations meet.
    struct Step {
        enum Verb: CaseIterable { case write, append, delete, rename, makeDirectory, removeDirectory, copy, stream }

        var verb: Verb
        var path: SandboxPath
        var other: SandboxPath
        var bytes: [UInt8]
        var flag: Bool

        init(using random: inout SeededGenerator) throws {
            func path(_ random: inout SeededGenerator) throws -> SandboxPath {
                let names = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    ["a", "b", "c"].randomElement(using: &random) ?? "a"
                }
                return try SandboxPath(names.joined(separator: "/"))
            }
            verb = Verb.allCases.randomElement(using: &random) ?? .write
            self.path = try path(&random)
            other = try path(&random)
            bytes = random.bytes(Int.random(in: 0...40, using: &random))
            flag = Bool.random(using: &random)
        }

        func run(_ files: SandboxedDirectory) throws(SandboxError) {
            switch verb {
            case .write: try files.write(bytes, to: path)
            case .append: try files.append(bytes, to: path)
            case .delete: try files.delete(path)
            case .rename: try files.rename(path, to: other, replacing: flag)
            case .makeDirectory: try files.makeDirectory(path)
            case .removeDirectory: try files.removeDirectory(path, recursive: flag)
            case .copy: try files.copy(path, to: files, as: other, replacing: flag)
            case .stream:
                let writer = try files.writer(path)
                try writer.write(bytes)
                // Half of the streams are released.
                if flag {
                    try writer.write(bytes)
                    try writer.commit()
                }
            }
        }

        /// Returns the tree after the operation; nil if it must fail.
        func apply(to tree: Tree) -> Tree? {
            var after = tree
            func holds(_ path: SandboxPath) -> Bool { path.isRoot || tree.nodes[path.text] == .directory }
            func writable(_ path: SandboxPath) -> Bool { holds(path.parent) && !holds(path) }
            switch verb {
            case .write:
                guard writable(path) else { return nil }
                after.nodes[path.text] = .file(bytes)
            case .append:
                guard writable(path) else { return nil }
                if case .file(let old) = tree.nodes[path.text] {
                    after.nodes[path.text] = .file(old + bytes)
                } else {
                    after.nodes[path.text] = .file(bytes)
                }
            case .delete:
                guard case .file = tree.nodes[path.text] else { return nil }
                after.nodes[path.text] = nil
            case .rename:
                guard let node = tree.nodes[path.text], holds(other.parent) else { return nil }
                if path == other { return flag && node != .directory ? tree : nil }
                if node == .directory, other.isWithin(path) { return nil }
                if let there = tree.nodes[other.text] {
                    guard flag, there != .directory, node != .directory else { return nil }
                }
                for (name, node) in tree.nodes where name == path.text || name.hasPrefix(path.text + "/") {
                    after.nodes[name] = nil
                    after.nodes[other.text + name.dropFirst(path.text.count)] = node
                }
            case .makeDirectory:
                guard holds(path.parent), tree.nodes[path.text] == nil else { return nil }
                after.nodes[path.text] = .directory
            case .removeDirectory:
                guard tree.nodes[path.text] == .directory else { return nil }
                let held = tree.nodes.keys.filter { $0.hasPrefix(path.text + "/") }
                guard flag || held.isEmpty else { return nil }
                for name in held + [path.text] { after.nodes[name] = nil }
            case .copy:
                guard case .file(let content) = tree.nodes[path.text], writable(other) else { return nil }
                if tree.nodes[other.text] != nil, !flag { return nil }
                after.nodes[other.text] = .file(content)
            case .stream:
                guard writable(path) else { return nil }
                if flag { after.nodes[path.text] = .file(bytes + bytes) }
            }
            return after
        }

        /// Returns true if a failed or interrupted operation can leave a tree.
        func canLeave(_ found: Tree, from before: Tree) -> Bool {
            if found == before || found == apply(to: before) { return true }
            switch verb {
            case .removeDirectory:
                // A part is gone, and nothing else.
                return flag
                    && found.nodes.allSatisfy { before.nodes[$0.key] == $0.value }
                    && before.nodes.keys.allSatisfy { found.nodes[$0] != nil || $0.hasPrefix(path.text + "/") }
            default: return false
            }
        }
    }

    static let quota = Quota(bytes: 60, files: 5)

    @Test(arguments: ResolverKind.available, 0..<12)
    func randomOperationsFailuresAndCrashes(kind: ResolverKind, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let outside = try TemporaryDirectory()
        var calls = FaultyFileCalls()
        calls.flushes = false
        var area = try TestArea(kind, quota: Self.quota, calls: calls, in: outside)
        var model = Tree()
        var (failures, crashes, refusals) = (0, 0, 0)
        let count = TestMachine.rounds(400, briefly: 60)
        for number in 0..<count {
            let step = try Step(using: &random)
            let before = model
            var note: Comment {
                "seed \(seed), step \(number): \(step.verb) \(step.path) \(step.other) \(step.flag) on \(before)"
            }
            let chance = Int.random(in: 0..<10, using: &random)
            let place = Int.random(in: 0..<24, using: &random)
            let cause = [Errno.ioError, .noSpace, .readOnlyFileSystem].randomElement(using: &random) ?? .ioError
            let current = calls
            switch chance {
            case 0, 1: calls.decide { call, index in index == place ? .fails(cause) : .works }
            case 2: calls.decide { call, index in index == place && call.changes ? .failsLate(cause) : .works }
            case 3:
                calls.decide { _, index in
                    // From here on nothing works, cleaning up included.
                    if index == place { current.die() }
                    return index == place ? .fails(.ioError) : .works
                }
            default: calls.work()
            }
            calls.slice = chance == 4 ? Int.random(in: 1...7, using: &random) : .max
            var failure: SandboxError?
            do throws(SandboxError) {
                try step.run(area.files)
            } catch {
                failure = error
            }
            let crashed = chance == 3 && calls.made.count > place
            calls.work()
            if chance == 3 {
                // The process is gone, and a new one opens the area.
                calls.die()
                calls = FaultyFileCalls()
                calls.flushes = false
                area = try TestArea(kind, quota: Self.quota, calls: calls, in: outside)
                crashes += 1
            }
            let all = try Tree(area.place(""), reserved: true)
            let found = all.withoutReserved
            if chance == 3 { #expect(all == found, note) }
            let expected = step.apply(to: model)
            if chance > 3 {
                if let failure, failure.code == .quotaBytes || failure.code == .quotaFiles {
                    refusals += 1
                    #expect(found == model, note)
                } else {
                    #expect((failure == nil) == (expected != nil), "\(note): \(String(describing: failure))")
                    #expect(found == expected ?? model, note)
                }
            } else if failure == nil, !crashed {
                #expect(found == expected, note)
            } else {
                failures += 1
                #expect(step.canLeave(found, from: model), "\(note): \(found), \(String(describing: failure))")
            }
            model = found
            let usage = try area.root.account.usage()
            #expect(usage == AreaUsage(bytes: all.usage.bytes, files: found.usage.files), note)
            #expect(area.root.account.reserved == AreaUsage(), note)
            #expect(found.usage.bytes <= Self.quota.bytes && found.usage.files <= Self.quota.files, note)
        }
        // The test would be none if nothing went wrong in it.
        if TestMachine.isLong {
            #expect(failures > 10 && crashes > 5 && refusals > 3, "\(failures), \(crashes), \(refusals)")
        }
    }
}
