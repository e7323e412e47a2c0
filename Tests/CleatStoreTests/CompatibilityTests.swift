import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatStore

/// Stores of earlier releases, in `Tests/Fixtures/VERSION/store`.
///
/// `make fixture` writes the files of the present release; those of an earlier release are never written again.
@Suite struct CompatibilityTests {
    static let releases = ["0.1.0"]

    /// Copies the store of a release into a new directory.
    private func copy(_ release: String, without omitted: Set<String> = []) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let store = TestPlaces.package.appending("Tests/Fixtures/\(release)/store")
        for name in try names(in: store.string) where !omitted.contains(name) {
            try write(try bytes(of: store.appending(name)), to: directory.appending(name))
        }
        return directory
    }

    private func open(_ directory: TemporaryDirectory) throws -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: StoreLimits())
    }

    private static let document = "86764fb8bf93134fa0d751dcde574e408dc178f3ae7b18a5fcb9393da8fdc287"

    private static let settings: [String: JSONValue] = [
        "app/text": "Grüße, \"☂\"", "app/label": "left", "app/count": 8, "app/ratio": 0.1, "app/names": ["b", "a", ""],
        "app/points": [["x": 1.5], ["x": .null], [:]], "app/map/one": 1, "app/map/two": 2, "app/password": "secret",
        "documents/note.txt": .string("sha256:" + document), "system/hostname": "kept",
    ]

    @Test(arguments: releases) func theSettingsAreReadWithoutARepairAndTheStoreGoesOn(release: String) throws {
        let directory = try copy(release)
        let store = try open(directory)
        #expect(store.opening == StoreOpening())
        #expect(try store.values == Self.settings)
        #expect(try store.settings.state().unreadable.isEmpty)
        #expect(store.generation.generation == 6)
        #expect(try store.contents.content(Self.document) == Array("a document\n".utf8))
        #expect(try store.set(("app/count", 10)) == 7)
        try store.arm("more", [("app/ratio", 0.2)], mementos: [memento("r")])
        #expect(try store.undo() == 9)
        try store.close(stamp: stamp)
        let again = try open(directory)
        #expect(again.opening == StoreOpening())
        var expected = Self.settings
        expected["app/count"] = 10
        #expect(try again.values == expected)
        #expect(try again.compare(6, 9) == ["app/count 8 10"])
    }

    @Test(arguments: releases) func theHistoryHasTheTrialsAndTheirEnds(release: String) throws {
        let store = try open(try copy(release))
        let history = try store.history.generations(before: nil, limit: StoreLimits.page).sorted {
            $0.number < $1.number
        }
        #expect(history.map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(history.map(\.id) == ["types", "document", "kept", "dropped", "revert-dropped", "gone"])
        #expect(history.map { $0.state == .reverted } == [false, false, false, true, false, false])
        #expect(history.filter { $0.state == .confirmed }.count == 5)
        #expect(history.first?.comment == "a value of each type")
        #expect(history.map { $0.note != nil } == [false, false, false, false, true, false])
        #expect(history[4].note?.text.contains("dropped") == true)
        #expect(try store.trials.current() == nil)
        let first = try store.compare(0, 1)
        #expect(first.contains("app/count - -9223372036854775808"), "\(first)")
        #expect(
            try store.compare(2, 3) == ["app/count -9223372036854775808 8", "system/hostname \"fixture\" \"kept\""])
        #expect(try store.compare(3, 6) == ["app/enabled true -"])
        let failed = #expect(throws: StoreError.self) { try store.trials.confirm(id: "dropped") }
        #expect(failed?.code == .trialEnded)
        let names = ["document:note.txt", "file:/etc/hostname"]
        let (origins, fingerprints) = (try store.resources.origins(), try store.resources.fingerprints())
        #expect(Set(names).isSubset(of: origins.map(\.resource)), "\(origins)")
        #expect(Set(names).isSubset(of: fingerprints.map(\.resource)), "\(fingerprints)")
    }

    @Test(arguments: releases) func theSnapshotIsIntact(release: String) throws {
        let store = try open(try copy(release))
        #expect(try store.snapshots.all().map(\.name) == ["before"])
        let content = try store.snapshots.content("before")
        #expect(content.snapshot.generation.generation == 3 && content.snapshot.damage == nil)
        #expect(content.snapshot.comment == "before the second trial")
        var expected = Self.settings
        expected["app/enabled"] = true
        #expect(content.settings.map(\.path) == expected.keys.sorted())
        for setting in content.settings {
            #expect(setting.value == expected[setting.path]?.canonicalText, "\(setting.path)")
        }
        #expect(content.resources.map(\.resource).contains("file:/etc/hostname"))
        for item in content.resources { #expect(try store.snapshots.state(of: item, in: "before") != nil) }
        try store.snapshots.delete("before")
        #expect(try store.snapshots.all().isEmpty)
    }

    @Test(arguments: releases) func theSecondCopyRestoresALostStore(release: String) throws {
        let store = try open(try copy(release, without: ["settings.db", "settings.newest"]))
        #expect(store.opening.restored?.generation == 6)
        #expect(try store.values == Self.settings)
    }
}
