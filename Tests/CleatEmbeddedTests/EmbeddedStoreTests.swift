import CleatEmbedded
import CleatIO
import CleatSettings
import CleatTestSupport
import CleatViews
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension SettingKey<Int> {
    fileprivate static var count: Self { .init("lamp/count", default: 5, .range(0...100)) }
    /// The same path with narrower rules, as in a later release of a program.
    fileprivate static var smallCount: Self { .init("lamp/count", default: 5, .range(0...10)) }
    /// The same path with another default.
    fileprivate static var otherCount: Self { .init("lamp/count", default: 6) }
}

extension SettingKey<String?> {
    fileprivate static var label: Self { .init("lamp/label") }
}

extension SettingKey<String> {
    fileprivate static var name: Self { .init("lamp/label", default: "none") }
}

extension SettingKey<[UInt8]> {
    fileprivate static var key: Self { .init("lamp/key", default: [1, 2]) }
}

@Suite("a store in the program", .timeLimit(.minutes(TestMachine.slowness))) struct EmbeddedStoreTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var path: String { directory.appending("store") }

    private func open() async throws -> EmbeddedStore {
        try await EmbeddedStore.open(at: path, declaring: .count, .label, .key)
    }

    /// Returns the code of the error of a call; nil if it succeeds.
    private static func code(_ body: () async throws -> Void) async -> CleatError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? CleatError)?.code
        }
    }

    @Test("values are there after the store was opened again, and reads do not wait", .tags(.board))
    func persistence() async throws {
        let store = try await open()
        #expect(try store[.count] == 5 && store[.label] == nil && store[.key] == [1, 2] && store.notes.isEmpty)
        try await store.cleat.edit {
            $0[.count] += 1
            $0[.label] = "desk"
            $0[.key] = [0xff, 0]
        }
        #expect(
            try store[.count] == 6 && store[.otherCount] == 6 && store[.label] == "desk" && store[.key] == [0xff, 0])
        #expect(store.settings[.count] == 6 && store.settings.isSet(.label))
        try await store.close()
        let again = try await open()
        #expect(try again[.count] == 6 && again[.label] == "desk" && again[.key] == [0xff, 0] && again.notes.isEmpty)
        #expect(try await again.cleat[.count] == 6)
        try await again.cleat.unset(.label)
        #expect(try again[.label] == nil && again[.name] == "none")
        try await again.cleat.resetAll()
        #expect(try again[.count] == 5 && again[.key] == [1, 2])
        #expect(try await again.cleat.history().count == 3)
    }

    @Test("errors name no verbs of the command line, which has no access to the store")
    func words() async throws {
        let store = try await open()
        for call: @Sendable () async throws -> Void in [
            { _ = try await store.cleat.snapshots.show("none") },
            { try await store.cleat.snapshots.restore("none") }, { try await store.cleat.rollback(to: 99) },
            { _ = try await store.cleat.rows(below: "none") },
        ] {
            let error = await #expect(throws: CleatError.self) { try await call() }
            #expect(error.map { !"\($0)".contains("cleat ") && !"\($0)".isEmpty } == true, "\(error as Any)")
        }
        try await store.close()
    }

    @Test("a value is decoded once, and each change is read at once")
    func cached() async throws {
        let store = try await open()
        for value in 1...50 {
            try await store.cleat.set(.count, to: value)
            #expect(try store[.count] == value)
            #expect(try store[.count] == value && store.settings[.count] == value)
        }
    }

    @Test("a key that the store was not opened with, or of another type, is an error")
    func wrongKeys() async throws {
        let store = try await open()
        let unknown = SettingKey<Int>("lamp/unheard", default: 1)
        let wrong = SettingKey<Bool>("lamp/count", default: true)
        for _ in 0..<2 {
            #expect(throws: CleatError.self) { try store[unknown] }
            #expect(await Self.code { _ = try store[unknown] } == .refused)
            #expect(await Self.code { _ = try store[wrong] } == .mismatch)
        }
        #expect(await Self.code { try await store.cleat.set(unknown, to: 3) } == .refused)
        #expect(await Self.code { try await store.cleat.set(.count, to: 101) } == .refused)
        #expect(await Self.code { try await store.cleat.check(unknown) } == .mismatch)
        #expect(await Self.code { try await store.cleat.check(.count, .label, .key) } == nil)
        #expect(try store[.count] == 5)
    }

    @Test("settings of the board, and keys without a schema, are refused when the store is opened")
    func refusedKeys() async throws {
        let error = await #expect(throws: CleatError.self) {
            try await EmbeddedStore.open(at: path, declaring: .hostname, .count)
        }
        #expect(error?.code == .refused && error?.problems.map(\.path) == [SettingKey.hostname.path.text])
        #expect(
            await Self.code { _ = try await EmbeddedStore.open(at: path, declaring: .count, .smallCount) } == .refused)
        #expect(try names(in: directory.text).isEmpty, "nothing was created")
    }

    @Test("values that a later release does not accept stay, and are not in force")
    func laterRelease() async throws {
        let store = try await open()
        try await store.cleat.edit {
            $0[.count] = 50
            $0[.label] = "desk"
        }
        try await store.close()
        let later = try await EmbeddedStore.open(at: path, declaring: .smallCount)
        #expect(try later[.smallCount] == 5)
        try await later.close()
        let former = try await open()
        #expect(try former[.count] == 50 && former[.label] == "desk")
    }

    // MARK: The directory

    @Test("two stores never have one directory, in one process or in two", .tags(.board))
    func inUse() async throws {
        let store = try await open()
        let error = await #expect(throws: CleatError.self) { try await open() }
        #expect(error?.code == .inUse && error?.description.contains(path) == true)
        let (status, output) = try await Self.counter([path])
        #expect(status != 0 && output.contains("open in another program"), "\(output)")
        try await store.close()
        let (other, _) = try await Self.counter([path])
        #expect(other == 0)
    }

    @Test("a directory that is none, is shared or is a relative path is refused, and stays as it was")
    func directories() async throws {
        try directory.write("text", to: "file")
        try directory.makeDirectory("shared")
        #expect(unsafe chmod(directory.appending("shared"), 0o777) == 0)
        #expect(unsafe chmod(directory.appending("file"), 0o666) == 0)
        let wrong = [("file", "Not a directory"), ("file/store", "irectory"), ("shared", "written by everyone")]
        for (name, word) in wrong {
            let error = await #expect(throws: CleatError.self) {
                try await EmbeddedStore.open(at: directory.appending(name), declaring: .count)
            }
            #expect(error?.code == .failed && error?.description.contains(word) == true, "\(String(describing: error))")
        }
        #expect(await Self.code { _ = try await EmbeddedStore.open(at: "store", declaring: .count) } == .refused)
        #expect(await Self.code { _ = try await EmbeddedStore.open(at: "/a\0b", declaring: .count) } == .refused)
        #expect(try names(in: directory.text).sorted() == ["file", "shared"])
        #expect(try names(in: directory.appending("shared")).isEmpty)
        #expect(try directory.read("file") == "text")
    }

    @Test(
        "a full or read-only file system is an error, and the stored values stay", .tags(.board),
        .enabled(if: Namespace.isAvailable, "\(Namespace.reason)"))
    func fileSystems() async throws {
        let script = """
            mount -t tmpfs -o size=512k none "$D"
            head -c 10m /dev/zero > "$D/fill" 2>/dev/null || true
            "$COUNTER" "$D/store" 1 || echo refused
            rm "$D/fill"
            "$COUNTER" "$D/store" 3
            mount -o remount,ro "$D"
            "$COUNTER" "$D/store" 1 || echo refused
            mount -o remount,rw "$D"
            "$COUNTER" "$D/store" 1
            """
        let environment = ["D": directory.text, "COUNTER": TestPlaces.program("counter").string]
        let result = try await withLoop { try await Namespace.run(script, environment: environment, on: $0) }
        let lines = result.outputText.split(separator: "\n").map(String.init)
        #expect(result.isSuccess && lines.filter { $0 == "refused" }.count == 2, "\(lines)")
        #expect(lines.first?.contains("full") == true && lines.contains { $0.contains("Read-only") }, "\(lines)")
        #expect(lines.contains("front has 3") && lines.contains("4"), "\(lines)")
    }

    @Test(
        "a directory that is removed or swapped for a link while its store is open refuses changes",
        .tags(.board, .fault))
    func replaced() async throws {
        for swaps in [false, true] {
            let store = try await open()
            try await store.cleat.set(.count, to: 6)
            #expect(unsafe rename(path, directory.appending("moved")) == 0)
            if swaps { #expect(unsafe symlink("/tmp", path) == 0) }
            #expect(await Self.code { try await store.cleat.set(.count, to: 7) } == .failed)
            #expect(await Self.code { try await store.cleat.snapshots.create("s") } == .failed)
            #expect(await Self.code { try await store.cleat.resetAll() } == .failed)
            #expect(try store[.count] == 6)
            if swaps { #expect(unsafe unlink(path) == 0) }
            #expect(unsafe rename(directory.appending("moved"), path) == 0)
            try await store.cleat.set(.count, to: 8)
            try await store.close()
        }
    }

    @Test("no error has the value of a secret", .tags(.fault))
    func secrets() async throws {
        let pin = SettingKey<String?>("lamp/pin", .secret)
        let wrong = SettingKey<Int>("lamp/pin", default: 1)
        let store = try await EmbeddedStore.open(at: path, declaring: pin)
        try await store.cleat.set(pin, to: "hunter2")
        #expect(try store[pin] == "hunter2")
        for call in [
            { _ = try store[wrong] }, { _ = try await store.cleat[wrong] },
            { try await store.cleat.edit { $0[wrong] += 1 } },
            { try await store.cleat.set(wrong, to: 4711) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: CleatError.self) { try await call() }
            #expect(error.map { !"\($0)".contains("hunter2") && !"\($0)".contains("4711") } == true)
        }
    }

    // MARK: Changes

    @Test("the change on trial of a former run of the program is found, and can be ended", .tags(.fault))
    func formerTrial() async throws {
        for confirms in [true, false] {
            let store = try await open()
            _ = try? await store.cleat.edit(confirm: .seconds(3600)) {
                $0[.count] = 9
            } whileOnTrial: { _ in
                try await store.close()
            }
            let again = try await open()
            let trial = try #require(try await again.cleat.trial())
            if confirms { try await trial.confirm() } else { try await trial.abort() }
            #expect(try await again.cleat.trial() == nil)
            #expect(try again[.count] == (confirms ? 9 : 5))
            try await again.cleat.resetAll()
            try await again.close()
        }
    }

    @Test("values that do not fit into a reply of a service are read in each way", .tags(.fault))
    func large() async throws {
        let map = SettingKey<[String: String]>("lamp/map", default: [:])
        let store = try await EmbeddedStore.open(at: path, declaring: map)
        let value = Dictionary(uniqueKeysWithValues: (0..<6).map { ("a\($0)", String(repeating: "x", count: 200_000)) })
        for (name, text) in value { try await store.cleat.update(map) { $0[name] = text } }
        #expect(try store[map] == value && store.settings[map] == value)
        #expect(try await store.cleat[map] == value)
    }

    @Test("edits of many tasks lose nothing, and a reader never sees a lower value")
    func concurrency() async throws {
        let store = try await open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    for _ in 0..<10 { try await store.cleat.update(.count) { $0 += 1 } }
                }
            }
            group.addTask {
                var last = 0
                while last < 55 {
                    let value = try store[.count]
                    #expect(value >= last)
                    last = value
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        #expect(try store[.count] == 55)
    }

    @Test("a trial continues when the store is opened again, and reverts by itself", .tags(.board))
    func trial() async throws {
        let store = try await open()
        try await store.cleat.set(.count, to: 7)
        let error = await #expect(throws: CleatError.self) {
            try await store.cleat.edit(confirm: .seconds(2)) {
                $0[.count] = 9
            } whileOnTrial: { _ in
                #expect(try store[.count] == 9)
                #expect(await Self.code { try await store.cleat.set(.count, to: 8) } == .pending)
                try await store.close()
            }
        }
        #expect(error?.code == .failed, "the closed store cannot revert it: \(String(describing: error))")
        let again = try await open()
        for try await value in again.cleat.changes(of: .count) where value == 7 { break }
        #expect(try again[.count] == 7)
        #expect(try await again.cleat.history(limit: 2).map(\.state) == [.confirmed, .reverted])
    }

    @Test("an edit with a probe is refused, since nothing could check it")
    func probes() async throws {
        let store = try await open()
        let code = await Self.code {
            try await store.cleat.edit(confirm: .seconds(60), until: ["tcp:127.0.0.1:1"]) {
                $0[.count] = 9
            } whileOnTrial: { _ in
            }
        }
        #expect(code == .refused)
        #expect(try store[.count] == 5)
    }

    @Test("plan, history, differences, rollback and snapshots", .tags(.board))
    func history() async throws {
        let store = try await open()
        let cleat = store.cleat
        #expect(try await cleat.plan { $0[.count] = 6 }.changes.map(\.description) == ["lamp/count: unset -> 6"])
        #expect(await Self.code { _ = try await cleat.plan { $0[.count] = 600 } } == .refused)
        try await cleat.set(.count, to: 6, comment: "six")
        try await cleat.snapshots.create("before", comment: "saved")
        try await cleat.set(.count, to: 7)
        #expect(try await cleat.difference().map(\.description) == ["lamp/count: 6 -> 7"])
        #expect(try await cleat.history(limit: 1).first?.author.isEmpty == false)
        #expect(try await cleat.history().map(\.comment) == [nil, "six"])
        try await cleat.rollback()
        #expect(try store[.count] == 6)
        try await cleat.set(.label, to: "desk")
        #expect(try await cleat.snapshots.difference(from: "before").changes.map(\.path) == ["lamp/label"])
        try await cleat.snapshots.restore("before")
        #expect(try store[.label] == nil)
        #expect(try await cleat.snapshots.list().map(\.name) == ["before"])
        #expect(try await cleat.snapshots.show("before").settings["lamp/count"] == .some(.some(6)))
        #expect(await Self.code { try await cleat.snapshots.restore("none") } == .refused)
        try await cleat.snapshots.delete("before")
        #expect(try await cleat.snapshots.list().isEmpty)
        #expect(try await cleat.rows(below: "lamp/count").map(\.path) == ["lamp/count"])
    }

    @Test("events of settings and of the program are followed until the store is closed")
    func events() async throws {
        let store = try await open()
        let events = try await store.cleat.events(from: .setting, .app)
        try await store.cleat.set(.count, to: 6)
        try await store.cleat.emit("opened", subject: "door", ["BY": "guest"])
        #expect(await Self.code { try await store.cleat.emit("Not a word", subject: "door") } == .refused)
        try await store.close()
        var iterator = events.makeAsyncIterator()
        let (first, second) = (try await iterator.next(), try await iterator.next())
        #expect(first?.subject == "lamp/count" && first?.properties["VALUE"] == "6")
        #expect(second?.subject == "door" && second?.properties["BY"] == "guest")
        #expect(second?.properties["EMITTER_UID"] == "\(ProcessSelf.uid)")
        await #expect(throws: CleatError.self) { try await iterator.next() }
        for code in [
            await Self.code { for try await _ in store.cleat.links { return } },
            await Self.code { for try await _ in store.cleat.devices(in: "net") { return } },
            await Self.code { for try await _ in store.cleat.connection { return } },
        ] { #expect(code == .refused) }
    }

    @Test("a closed store fails in calls that need it, and stays readable; to close it twice is no error")
    func closed() async throws {
        let store = try await open()
        try await store.cleat.set(.count, to: 6)
        try await store.close()
        try await store.close()
        #expect(await Self.code { try await store.cleat.set(.count, to: 7) } == .failed)
        #expect(await Self.code { _ = try await store.cleat.history() } == .failed)
        #expect(await Self.code { try await store.cleat.snapshots.create("s") } == .failed)
        #expect(await Self.code { try await store.cleat.emit("opened", subject: "door") } == .failed)
        #expect(await Self.code { for try await _ in store.cleat.changes(of: .count) {} } == .failed)
        #expect(try store[.count] == 6)
    }

    @Test("a sequence of values ends when the store is closed", .tags(.fault))
    func followed() async throws {
        let store = try await open()
        var values = store.cleat.changes(of: .count).makeAsyncIterator()
        #expect(try await values.next() == 5)
        async let closing: Void = store.close()
        #expect(await Self.code { while try await values.next() != nil {} } == .failed)
        try await closing
    }

    /// A process of its own: tests next to this one have threads and files.
    @Test("many stores leave no descriptor and no thread", .tags(.fault))
    func leaks() async throws {
        await #expect(processExitsWith: .success) {
            for number in 0..<40 {
                let cleat = try await Cleat.inMemory(declaring: .count)
                try await cleat.set(.count, to: number)
            }
            // A thread without work would end by itself after ten seconds.
            let isClean = try await eventually(within: .seconds(8)) {
                try names(in: "/proc/self/fd").count < 40 && names(in: "/proc/self/task").count < 20
            }
            exit(isClean ? 0 : 1)
        }
    }

    @Test("a store that is released is closed")
    func released() async throws {
        do {
            let store = try await open()
            try await store.cleat.set(.count, to: 6)
        }
        let found = try await eventually {
            guard let store = try? await open() else { return false }
            #expect(try store[.count] == 6)
            try await store.close()
            return true
        }
        #expect(found)
    }

    @Test("a program that is killed loses no number that it has printed", .tags(.board))
    func killed() async throws {
        for round in 1...5 {
            let output = try await withLoop { loop in
                try await loop.run(
                    ChildCommand(
                        program: .path("/usr/bin/env"),
                        arguments: [
                            "timeout", "-s", "KILL", "0.\(round)5", TestPlaces.program("counter").string, path,
                            "100000",
                        ], environment: ["PATH": "/usr/bin:/bin"], outputLimit: 1 << 20, timeout: .seconds(60)))
            }
            let printed = output.outputText.split(separator: "\n").compactMap {
                Int($0)
            }
            // The kernel releases the lock of a killed process some time after the signal.
            let store = try await opened(SettingKey<Int>("counter/count", default: 0))
            let stored = try store[SettingKey<Int>("counter/count", default: 0)]
            #expect(stored >= printed.last ?? 0 && stored <= (printed.last ?? stored) + 1)
            #expect(store.notes.isEmpty)
            try await store.close()
        }
    }

    @Test("the program in `Examples/Counter`", .tags(.board))
    func example() async throws {
        let (status, output) = try await Self.counter([path, "2"])
        #expect(status == 0)
        #expect(
            output == """
                the door has 0
                1
                2
                3: counter/door: unset -> front
                2: counter/count: 1 -> 2

                """)
        let (_, again) = try await Self.counter([path])
        #expect(again.hasPrefix("front has 2\n3\n"), "\(again)")
    }

    private func opened(_ key: SettingKey<Int>) async throws -> EmbeddedStore {
        while true {
            do {
                return try await EmbeddedStore.open(at: path, declaring: key)
            } catch {
                guard error.code == .inUse else { throw error }
                await Task.yield()
            }
        }
    }

    private static func counter(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        let result = try await withLoop { loop in
            try await loop.run(ChildCommand(TestPlaces.program("counter").string, arguments))
        }
        return (result.isSuccess ? 0 : 1, result.outputText)
    }
}
