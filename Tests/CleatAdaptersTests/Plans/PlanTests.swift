import CleatAPI
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatTemplates
import CleatTestSupport
import SystemPackage
import TemplateTestSupport
import Testing

@testable import CleatAdapters

/// Tests of the text of plans, and that a plan writes nothing.
@Suite struct PlanTests {
    private static func plan(
        _ board: TestBoard, from before: [(String, JSONValue)], to after: [(String, JSONValue)],
        origins: [Resource: Memento] = [:]
    ) throws -> [String: PlannedStep] {
        let (old, new) = (try board.settings(before), try board.settings(after))
        let state = try board.state()
        let plan = board.set.plan(
            board.set.change(from: old, to: new), from: old, to: new, on: board.system, origins: origins)
        #expect(plan.problems.isEmpty)
        #expect(try board.state() == state)
        return Dictionary(uniqueKeysWithValues: plan.steps.map { ("\($0.kind):\($0.resource)", $0) })
    }

    @Test("Files are compared line by line, links and modes are named, the kernel of an image is left alone")
    func files() throws {
        let board = try TestBoard()
        try board.directory.write("127.0.0.1 localhost\n127.0.1.1 old\n", to: "root/etc/hosts")
        let steps = try Self.plan(
            board, from: [], to: [("system/hostname", "pump"), ("system/timezone", "Europe/Berlin")])
        let name = try #require(steps["file:/etc/hostname"])
        #expect(name.action == .create && name.after == "a file of mode 0644")
        #expect(name.diff == "--- /dev/null\n+++ b/etc/hostname\n@@ -0,0 +1 @@\n+pump\n")
        let line = try #require(steps["line:the line “127.0.1.1” of /etc/hosts"])
        #expect(line.action == .change && line.before == nil && line.after == nil)
        #expect(
            line.diff
                == "--- a/etc/hosts\n+++ b/etc/hosts\n@@ -1,2 +1,2 @@\n 127.0.0.1 localhost\n-127.0.1.1 old\n"
                + "+127.0.1.1\tpump\n")
        let zone = try #require(steps["link:/etc/localtime"])
        #expect(zone.action == .create && zone.after == "a link to ../usr/share/zoneinfo/Europe/Berlin")
        #expect(zone.diff == nil)
        #expect(steps["host-name:the kernel's host name"]?.action == .skipped)
        #expect(steps["host-name:the kernel's host name"]?.note?.contains("--root") == true)
    }

    @Test("An equal state is reported as equal; a released one is compared with its former state")
    func origins() throws {
        let board = try TestBoard()
        try board.directory.write("pump\n", to: "root/etc/hostname")
        let same = try Self.plan(board, from: [], to: [("system/hostname", "pump")])
        #expect(same["file:/etc/hostname"]?.action == .unchanged)
        #expect(same["line:the line “127.0.1.1” of /etc/hosts"]?.action == .skipped)

        try board.directory.write("factory\n", to: "root/etc/hostname")
        let file = Resource.file("/etc/hostname")
        let origin = try board.system.capture(file, for: "host-name")
        try board.directory.write("pump\n", to: "root/etc/hostname")
        let back = try Self.plan(board, from: [("system/hostname", "pump")], to: [], origins: [file: origin])
        #expect(back["file:/etc/hostname"]?.diff?.hasSuffix("-pump\n+factory\n") == true)
        #expect(back["file:/etc/hostname"]?.action == .change && back["file:/etc/hostname"]?.note != nil)
        let unknown = try Self.plan(board, from: [("system/hostname", "pump")], to: [])
        #expect(unknown["file:/etc/hostname"]?.action == .skipped)
    }

    @Test("Files that not all users may read are masked, before or after; binary and long contents are named by size")
    func masked() throws {
        let board = try TestBoard()
        let step = { (bytes: [UInt8], mode: UInt16?) in
            SystemChange.Step(
                resource: .file("/etc/hostname"), before: nil,
                after: .file(FileState(bytes: bytes, permissions: mode)),
                path: try SettingPath("system/hostname"))
        }
        func plan(_ bytes: [UInt8], mode: UInt16? = nil, isSecret: Bool = false) throws -> PlannedStep {
            try board.system.plan(try step(bytes, mode), of: "a", origin: nil, isSecret: isSecret)
        }
        let word = Array("password\n".utf8)
        #expect(try plan(word).diff?.contains("password") == true)
        #expect(try plan(word, isSecret: true).diff == nil)
        let secret = try #require(try plan(word, isSecret: true).note)
        #expect(try plan(word, mode: 0o640).diff == nil)
        let masked = try #require(try plan(word, mode: 0o640).note)
        #expect(masked != secret, "\(masked)")
        try board.directory.write("password\n", to: "root/etc/hostname", mode: 0o600)
        let opened = try plan(Array("public\n".utf8), mode: 0o644)
        #expect(opened.diff == nil && opened.before != opened.after, "\(opened)")
        #expect(opened.before?.contains("0600") == true)
        try board.directory.write("text\n", to: "root/etc/hostname", mode: 0o644)
        #expect(try plan([0x80, 0]).note == "its content is not text: 5 bytes before, 2 after")
        let binary = try plan(Array("a\u{1b}[2J".utf8))
        #expect(binary.diff == nil && binary.note != nil && binary.note?.contains("\u{1b}") == false, "\(binary)")
        #expect(
            try plan(Array(repeating: 0x61, count: 70_000)).note
                == "its content is too long to show: 5 bytes before, 70000 after")
    }

    @Test("A setting that is a secret masks every file whose template names it, and no other")
    func templates() throws {
        let schema = try TemplateFixture.schema()
        let rules = try ApplyFixture.read(
            """
            [{"file":"/etc/open","escape":"line","template":"n {{name}}\\n"},
             {"file":"/etc/closed","escape":"line","template":"p {{services/web/password}} {{name}}\\n"}]
            """)
        let adapter = TemplateAdapter(rules)
        let directory = try TemporaryDirectory()
        try makeDirectories(directory.appending("root/etc"))
        let set = AdapterSet([adapter])
        let system = try SystemResources(
            root: FilePath(directory.appending("root")), declarations: set.files)
        let before = LayeredSettings(schema: schema, committed: SettingsTree([(SettingPath, JSONValue)]()))
        let after = LayeredSettings(
            schema: schema,
            committed: SettingsTree([
                (try SettingPath("name"), JSONValue.string("kim")),
                (try SettingPath("services/web/password"), JSONValue.string("hidden-word")),
            ]))
        let plan = set.plan(
            set.change(from: before, to: after), from: before, to: after, on: system, origins: [:])
        #expect(plan.steps.map(\.resource) == ["/etc/open", "/etc/closed"])
        #expect(plan.steps.first?.diff?.contains("kim") == true)
        #expect(plan.steps.last?.diff == nil && plan.steps.last?.note?.contains("secret") == true)
        #expect(!"\(plan)".contains("hidden-word"))
    }

    @Test("A change that takes effect after a reboot is planned as one, with the reason, and no command runs for it")
    func reboot() async throws {
        let schema = try TemplateFixture.schema()
        let rules = try ApplyFixture.read(
            """
            [{"file":"/etc/loader","escape":"line","template":"n {{name}}\\n","reboot":"the boot loader reads it"},
             {"file":"/etc/other","escape":"line","template":"n {{services/web/port}}\\n"}]
            """)
        let set = AdapterSet([TemplateAdapter(rules)])
        let directory = try TemporaryDirectory()
        let system = try SystemResources(root: directory.path, declarations: set.files)
        let before = try TemplateFixture.settings("{}", schema)
        func planned(_ values: String) async throws -> [PlannedAction] {
            let change = set.change(from: before, to: try TemplateFixture.settings(values, schema))
            try #require(change.resources.count == 1, "\(change)")
            return try await withLoop { loop in
                let runner = ActionRunner(on: loop, system)
                return change.parts.flatMap { part in part.actions.map { runner.outlook($0, of: part.adapter) } }
            }
        }
        #expect(
            try await planned("{name:'x'}") == [
                PlannedAction(
                    adapter: "apply:app", kind: .reboot, title: "reboot", service: nil, program: nil,
                    note: "the boot loader reads it")
            ])
        #expect(try await planned("{services:{web:{port:8080}}}") == [])
        #expect(try names(in: directory.text) == [])
    }

    @Test("A different state is named with the kind of difference, without its content")
    func verified() throws {
        let board = try TestBoard()
        try board.directory.write("secret-word\n", to: "root/etc/hostname")
        let (old, new) = (
            try board.settings([]), try board.settings([("system/hostname", "a"), ("system/timezone", "UTC")])
        )
        let mementos = try board.set.applier.capture(board.set.change(from: old, to: new), on: board.system)
        func states() -> [String: VerifiedResource.State] {
            Dictionary(
                uniqueKeysWithValues: board.system.verify(mementos).map { ($0.resource.text, $0.state) })
        }
        #expect(states()["file:/etc/hostname"] == .same && states()["link:/etc/localtime"] == .same)
        #expect(states()["host-name"] == .untouched)
        for (change, word) in [
            ({ try board.directory.write("other\n", to: "root/etc/hostname") }, "(12 bytes before, 6 now)"),
            (
                { try board.directory.write("secret-word\n", to: "root/etc/hostname", mode: 0o600) },
                "was 0644, and is 0600"
            ),
        ] {
            _ = try change()
            guard case .differs(let how)? = states()["file:/etc/hostname"] else {
                Issue.record("\(states())")
                continue
            }
            #expect(how.contains(word) && !how.contains("secret"), "\(how)")
        }
        try makeLink(board.root + "/etc/localtime", to: "../usr/share/zoneinfo/UTC")
        #expect(states()["link:/etc/localtime"] == .differs("it did not exist, and exists now"))
    }

    @Test("A failed capture is a problem with its setting, and the others are planned")
    func unreadable() throws {
        let board = try TestBoard()
        try makeDirectories(board.root + "/etc/hostname")
        let (old, new) = (
            try board.settings([]), try board.settings([("system/hostname", "a"), ("system/timezone", "UTC")])
        )
        let plan = board.set.plan(
            board.set.change(from: old, to: new), from: old, to: new, on: board.system, origins: [:])
        #expect(plan.problems.map(\.path.text) == ["system/hostname"], "\(plan.problems)")
        #expect(plan.problems.first?.reason.contains("/etc/hostname") == true)
        #expect(plan.steps.contains { $0.resource == "/etc/localtime" && $0.action == .create })
    }
}
