import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAgent

/// The files of earlier releases, in `Tests/Fixtures/VERSION`, read by the parts of this one.
///
/// `make fixture` writes the files of the present release; those of an earlier release are never written again.
@Suite struct CompatibilityTests {
    static let releases = ["0.1.0"]

    private func fixture(_ release: String, _ name: String) throws -> [UInt8] {
        try bytes(of: TestPlaces.package.appending("Tests/Fixtures/\(release)/\(name)"))
    }

    /// Reads the schemas of a release, and its locks.
    private func sources(_ release: String, withLocks: Bool) throws -> SettingsSources {
        let directory = try TemporaryDirectory()
        for name in ["etc", "etc/cleat", "etc/cleat/schema.d", "etc/cleat/locks.d"] {
            try directory.makeDirectory(name)
        }
        for name in ["schema.d/site.json"] + (withLocks ? ["locks.d/site.json5"] : []) {
            try directory.write(String(decoding: try fixture(release, name), as: UTF8.self), to: "etc/cleat/\(name)")
        }
        let paths = try AgentPaths(
            options: AgentOptions(["--root", directory.text]), environment: [:], uid: ProcessSelf.uid,
            workingDirectory: "/")
        let loaded = SourceLoader(paths: paths, factory: nil, policy: TrustPolicy(user: ProcessSelf.uid)).load()
        #expect(loaded.findings.isEmpty, "\(loaded.findings)")
        return loaded.sources
    }

    /// Reads the settings of a release's store.
    private func stored(_ release: String) async throws -> SettingsTree {
        let directory = try TemporaryDirectory()
        for name in ["settings.db", "settings.copy.json", "settings.newest"] {
            try write(try fixture(release, "store/\(name)"), to: directory.path.appending(name))
        }
        let store = try await SettingsStore.open(
            directory: directory.path, executor: ThreadExecutor(name: "store"))
        let state = try await store.snapshot()
        try await store.close(.now(bootID: "boot"))
        return SettingsTree(state.settings.lazy.map { ($0.path, $0.value) })
    }

    @Test(arguments: releases) func theStoredSettingsAreInForceAndTheLockCounts(release: String) async throws {
        let tree = try await stored(release)
        let free = LayeredSettings(sources: try sources(release, withLocks: false), committed: tree)
        #expect(free.inactive.isEmpty)
        #expect(try free.value(at: SettingPath("app/count"))?.value == 8)
        #expect(try free.value(at: SettingPath("app/label"))?.value == "left")
        #expect(try free.value(at: SettingPath("app/password"))?.isSecret == true)
        let locked = LayeredSettings(sources: try sources(release, withLocks: true), committed: tree)
        let label = try #require(try locked.value(at: SettingPath("app/label")))
        #expect(label.value == "none" && label.inactive?.code == .locked)
    }

    @Test(arguments: releases) func theExportIsImported(release: String) async throws {
        let sources = try sources(release, withLocks: false)
        let bundle = try SettingsBundle(try fixture(release, "export.json5"), schema: sources.schema, mayHide: true)
        #expect(!bundle.holdsSecrets)
        let plan = try SettingsPlan(SettingsInterface.Set.Parameters(changes: bundle.changes))
        let proposal = LayeredSettings(sources: sources).propose(plan.changes)
        #expect(proposal.problems.isEmpty, "\(proposal.problems)")
        // All of the store but the secret, which an export does not have.
        let password = try SettingPath("app/password")
        let expected = try await stored(release).rows(under: nil).filter { $0.path != password }
        let imported = proposal.settings.committed.rows(under: nil)
        #expect(imported.map(\.path) == expected.map(\.path))
        #expect(imported.map(\.value) == expected.map(\.value))
        // The change of a locked setting is refused, and nothing else is.
        let locked = LayeredSettings(sources: try self.sources(release, withLocks: true)).propose(plan.changes)
        #expect(locked.problems.map(\.code) == [.locked] && locked.problems.map(\.path.text) == ["app/label"])
    }

    @Test(arguments: releases) func theExportedSnapshotIsRead(release: String) throws {
        let request = try SnapshotFileReader.read(try fixture(release, "before.snapshot"))
        #expect(request.name == "before" && request.generation.generation == 3)
        let settings = try #require(request.settings)
        #expect(settings.count == 12)
        // Secrets are left out, and so are documents.
        #expect(settings.filter { $0.value == nil }.map(\.path) == ["app/password", "documents/note.txt"])
        #expect(settings.first { $0.path == "app/count" }?.json == 8)
        let file = try #require(request.resources.first { $0.resource == "file:/etc/hostname" })
        #expect(file.adapter == "host-name")
        let memento = try Memento(encoded: try #require(file.state?.bytes))
        #expect(memento.resource.text == "file:/etc/hostname")
        var damaged = try fixture(release, "before.snapshot")
        damaged[damaged.count / 2] ^= 1
        #expect(throws: SnapshotsError.self) { try SnapshotFileReader.read(damaged) }
    }
}
