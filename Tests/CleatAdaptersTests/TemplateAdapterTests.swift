import CleatJSON
import CleatSandbox
import CleatSettings
import CleatTemplates
import CleatTestSupport
import SystemPackage
import TemplateTestSupport
import Testing

@testable import CleatAdapters

@Suite("Files and commands of schema files")
struct TemplateAdapterTests {
    private let schema: Schema
    private let adapter: TemplateAdapter

    init() throws {
        schema = try TemplateFixture.schema()
        adapter = TemplateAdapter(
            try ApplyFixture.read(
                """
                [{"file":"/etc/web.conf","escape":"word","template":"port {{services/web/port}} {{^name}}-{{/name}}\\n",
                  "when":["services/web"],"mode":"0640"},
                 {"file":"/etc/names","escape":"line","template":"{{#ports}}{{@key}}\\n{{/ports}}{{^ports}}{{/ports}}",
                  "whenEmpty":"remove","when":["ports","name"]},
                 {"command":["/bin/all"]},
                 {"command":["/bin/one"],"when":["/etc/names"]},
                 {"command":["/bin/name"],"when":["name"]}]
                """))
    }

    private func settings(_ values: String) throws -> LayeredSettings { try TemplateFixture.settings(values, schema) }

    private func programs(_ actions: [AdapterAction]) -> [String] {
        actions.compactMap { if case .command(let command) = $0 { command.program } else { nil } }
    }

    @Test("Unset settings have no desired states")
    func unmanaged() throws {
        #expect(adapter.name == "apply:app")
        #expect(adapter.prefixes.map(\.text) == ["name", "ports", "services/web", "services/web/port"])
        #expect(adapter.files.map(\.description) == ["/etc/web.conf", "/etc/names"])
        #expect(adapter.desired(try settings("{}")) == DesiredState())
        // The template only tests the name; it does not make the file managed.
        #expect(adapter.desired(try settings("{name:'x'}"))[.file("/etc/web.conf")] == nil)
    }

    @Test("Files are rendered from set values and defaults")
    func files() throws {
        let desired = adapter.desired(try settings("{services:{web:{enabled:true}},ports:{b:1,a:2}}"))
        #expect(
            desired[.file("/etc/web.conf")]
                == .file(FileState(bytes: Array("port 80 -\n".utf8), permissions: 0o640, owner: nil)))
        #expect(
            desired[.file("/etc/names")]
                == .file(FileState(bytes: Array("a\nb\n".utf8), permissions: 0o644, owner: nil)))
        #expect(desired.problems.isEmpty)
        #expect(adapter.desired(try settings("{name:'x'}"))[.file("/etc/names")] == .absent)
    }

    @Test(
        "A setting of any type makes its file managed, as a value and as a group",
        arguments: ["5", "{deep:1}", "{deep:{er:[1]}}", "[{deep:1}]"])
    func anyType(value: String) throws {
        let adapter = TemplateAdapter(
            try ApplyFixture.read(
                """
                [{"file":"/etc/any","escape":"line","template":"x\\n","when":["services/web/anything"]}]
                """))
        let bytes = Array("x\n".utf8)
        let desired = adapter.desired(try settings("{services:{web:{anything:\(value)}}}"))
        #expect(desired[.file("/etc/any")] == .file(FileState(bytes: bytes, permissions: 0o644, owner: nil)))
        #expect(adapter.desired(try settings("{services:{web:{port:1}}}"))[.file("/etc/any")] == nil)
    }

    @Test("A value that cannot be written is a problem of the check, with path and place")
    func problems() throws {
        let desired = adapter.desired(try settings("{ports:{'a\\u0085b':1}}"))
        #expect(desired.wanted.isEmpty)
        // A key with such a character is none that a path can have, so the schema has dropped it.
        #expect(desired.problems.isEmpty)
        let rules = try ApplyFixture.read(
            "[{\"file\":\"/etc/a\",\"escape\":\"line\",\"template\":\"a\\n{{#sites}}\\n{{root}}\\n{{/sites}}\"}]")
        let state = TemplateAdapter(rules).desired(try settings("{sites:{x:{root:'a\\nb'}}}"))
        #expect(
            state.problems.map(\.description) == [
                "sites/x/root holds a line break, which a line of the file cannot hold; it is required by the "
                    + "template of /etc/a, line 3, column 1"
            ])
        #expect(state.problems.first?.value == nil)
    }

    @Test("Commands run after changes of their files and settings")
    func actions() throws {
        let none = try settings("{}")
        #expect(
            programs(
                adapter.actions(from: nil, to: LayeredSettings(schema: .builtIn), changed: [.file("/etc/web.conf")]))
                == ["/bin/all"])
        #expect(
            programs(adapter.actions(from: nil, to: LayeredSettings(schema: .builtIn), changed: [.file("/etc/names")]))
                == ["/bin/all", "/bin/one"])
        #expect(
            programs(adapter.actions(from: nil, to: LayeredSettings(schema: .builtIn), changed: [.file("/etc/other")]))
                == [])
        let named = try settings("{name:'x'}")
        #expect(programs(adapter.actions(from: none, to: named, changed: [])) == ["/bin/name"])
        #expect(programs(adapter.actions(from: named, to: none, changed: [])) == ["/bin/name"])
        #expect(programs(adapter.actions(from: named, to: named, changed: [])) == [])
    }

    @Test(
        "The reasons for a reboot are reported once each, after the commands, for the rules that have changed")
    func reboots() throws {
        let adapter = TemplateAdapter(
            try ApplyFixture.read(
                """
                [{"file":"/etc/a","escape":"line","template":"{{#ports}}{{@key}}{{/ports}}","reboot":"loaders read it"},
                 {"file":"/etc/b","escape":"line","template":"{{#ports}}{{@key}}{{/ports}}","reboot":"loaders read it"},
                 {"file":"/etc/c","escape":"line","template":"{{services/web/port}}"},
                 {"command":["/bin/env"],"when":["name"],"reboot":"the kernel is told at boot"}]
                """))
        func told(_ actions: [AdapterAction]) -> [String] {
            actions.map { action in
                switch action {
                case .command(let command): command.title
                case .interface(let action): action.title
                case .reboot(let reason): reason
                }
            }
        }
        let (none, named) = (try settings("{}"), try settings("{name:'x'}"))
        let all: Set<Resource> = [.file("/etc/a"), .file("/etc/b"), .file("/etc/c")]
        #expect(
            told(adapter.actions(from: nil, to: LayeredSettings(schema: .builtIn), changed: all)) == ["loaders read it"]
        )
        #expect(
            told(adapter.actions(from: nil, to: LayeredSettings(schema: .builtIn), changed: [.file("/etc/c")])) == [])
        #expect(
            told(adapter.actions(from: none, to: named, changed: all)) == [
                "run /bin/env", "loaders read it", "the kernel is told at boot",
            ])
        // What is undone counts after a reboot only, too.
        #expect(
            told(adapter.actions(from: named, to: none, changed: [])) == ["run /bin/env", "the kernel is told at boot"])
        let set = AdapterSet([adapter])
        let change = set.change(from: none, to: try settings("{ports:{a:1}}"))
        #expect(change.parts.map(\.actions).map(told).map { $0.contains("loaders read it") } == [true])
        let other = set.change(from: none, to: try settings("{services:{web:{port:8080}}}"))
        #expect(other.parts.map(\.actions).map(told).map { $0.contains("loaders read it") } == [false])
    }

    @Test("A change is applied below a root directory, and restored byte by byte")
    func applied() throws {
        let root = try TemporaryDirectory()
        try root.makeDirectory("etc")
        try root.write("mine\n", to: "etc/web.conf", mode: 0o600)
        let system = try SystemResources(root: root.path, declarations: adapter.files)
        let set = AdapterSet([adapter])
        let before = try settings("{}")
        let after = try settings("{services:{web:{port:8080}},ports:{a:1}}")
        let change = set.change(from: before, to: after)
        #expect(set.check(after, change, on: system).isEmpty)
        let mementos = try set.applier.capture(change, on: system)
        #expect(set.applier.apply(change, on: system, origins: [:]).allSatisfy { $0.isSuccess })
        #expect(try root.read("etc/web.conf") == "port 8080 -\n")
        #expect(try root.read("etc/names") == "a\n")
        _ = set.applier.restore(mementos, on: system)
        #expect(try root.read("etc/web.conf") == "mine\n")
        #expect(try names(in: root.appending("etc")) == ["web.conf"])
    }

    @Test("The example of the documentation has the documented result")
    func documentation() throws {
        let file = TestPlaces.package.appending("docs").appending("templates.md")
        let blocks = try contents(of: file).split(separator: "```", omittingEmptySubsequences: false)
        let json = try #require(blocks.first { $0.hasPrefix("json\n") }).dropFirst(5)
        let expected = try #require(blocks.first { $0.hasPrefix("sh\n") }).dropFirst(3)
        let schema = try SchemaText.read(Array(json.utf8), file: "dropbear.json")
        let rules = try #require(
            try ApplyRules.read(Array(json.utf8), file: "dropbear.json", context: ApplyFixture.context(schema)))
        let settings = try TemplateFixture.settings(
            "{services:{dropbear:{passwords:false,banner:\"Kim's board\"}}}", schema)
        let desired = TemplateAdapter(rules).desired(settings)
        #expect(
            desired[.file("/etc/default/dropbear")]
                == .file(FileState(bytes: Array(expected.utf8), permissions: 0o644, owner: nil)))
    }

    @Test("Settings of a privileged file are for root only, and a guarded file may keep clients out")
    func privileged() throws {
        let adapter = TemplateAdapter(
            try ApplyFixture.read(
                """
                [{"file":"/etc/a","escape":"line","template":"{{name}}","privileged":true,"guard":true},
                 {"file":"/etc/b","escape":"line","template":"{{#sites}}{{@key}}{{/sites}}"}]
                """))
        #expect(!adapter.isForOperators(try SettingPath("name")))
        #expect(adapter.isForOperators(try SettingPath("sites/x/root")))
        #expect(adapter.mayDisconnect(.file("/etc/a")) && !adapter.mayDisconnect(.file("/etc/b")))
        let set = AdapterSet([adapter])
        #expect(!set.admitsOperators(to: try SettingPath("name")))
    }
}
