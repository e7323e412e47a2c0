import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAgent

@Suite("The board's files about its settings")
struct SourceLoaderTests {
    let directory: TemporaryDirectory
    let loader: SourceLoader

    init() throws {
        directory = try TemporaryDirectory()
        let root = directory.path
        for name in ["usr", "usr/lib", "usr/lib/cleat", "etc", "etc/cleat", "var", "var/lib", "var/lib/cleat"] {
            try Files.makeDirectory(directory.appending(name))
        }
        for name in ["schema.d", "defaults.d", "locks.d"] {
            try Files.makeDirectory(directory.appending("usr/lib/cleat/\(name)"))
            try Files.makeDirectory(directory.appending("etc/cleat/\(name)"))
        }
        let paths = try AgentPaths(
            options: AgentOptions(["--root", root.string]), environment: [:], uid: ProcessSelf.uid,
            workingDirectory: "/")
        loader = SourceLoader(paths: paths, factory: nil, policy: TrustPolicy(user: ProcessSelf.uid))
    }

    @discardableResult
    private func vendor(_ name: String, _ text: String) throws -> String {
        try directory.write(text, to: "usr/lib/cleat/\(name)")
    }

    @discardableResult
    private func admin(_ name: String, _ text: String) throws -> String {
        try directory.write(text, to: "etc/cleat/\(name)")
    }

    /// A schema with one setting.
    private static func schema(_ path: String, _ rules: String = #""type": "integer""#) -> String {
        let names = path.split(separator: "/")
        return names.reversed().reduce("{ \(rules) }") { inner, name in
            #"{ "type": "object", "properties": { "\#(name)": \#(inner) } }"#
        }
    }

    private func knows(_ loaded: LoadedSources, _ path: String) throws -> Bool {
        try loaded.sources.schema.lookup(SettingPath(path)) != nil
    }

    // MARK: Schemas

    @Test("are none if there are no directories")
    func nowhere() throws {
        let paths = try AgentPaths(
            options: AgentOptions(["--root", directory.appending("nowhere")]), environment: [:], uid: 0,
            workingDirectory: "/")
        let loaded = SourceLoader(paths: paths, factory: nil).load()
        #expect(loaded.findings.isEmpty && loaded.sources.vendor.isEmpty && loaded.sources.locks.isEmpty)
        #expect(loaded.sources.schema.entries().count == Schema.builtIn.entries().count)
    }

    @Test("add settings to the built-in ones; the administrator's file replaces the vendor's of the same name")
    func layers() throws {
        try vendor("schema.d/10-a.json", Self.schema("a/vendor"))
        try vendor("schema.d/20-b.json", Self.schema("b/vendor"))
        try admin("schema.d/10-a.json", Self.schema("a/admin"))
        try admin("schema.d/30-c.json", Self.schema("system/extra"))
        try admin("schema.d/.hidden.json", "{")
        try admin("schema.d/README", "{")
        try admin("schema.d/40.json~", "{")
        let loaded = loader.load()
        #expect(loaded.findings.isEmpty, "\(loaded.findings)")
        for path in ["a/admin", "b/vendor", "system/extra", "system/hostname"] { #expect(try knows(loaded, path)) }
        #expect(try !knows(loaded, "a/vendor"))
    }

    @Test("are masked by an empty file, or by a link to /dev/null, of the administrator")
    func masks() throws {
        for name in ["a", "b", "c"] { try vendor("schema.d/\(name).json", Self.schema(name)) }
        try admin("schema.d/a.json", "")
        try Files.makeLink(directory.appending("etc/cleat/schema.d/b.json"), to: "/dev/null")
        let loaded = loader.load()
        #expect(loaded.findings.isEmpty, "\(loaded.findings)")
        #expect(try !knows(loaded, "a"))
        #expect(try !knows(loaded, "b"))
        #expect(try knows(loaded, "c"))
    }

    @Test("may have rules for files and commands, and are refused with invalid ones")
    func rules() throws {
        func schema(_ name: String, _ template: String) -> String {
            """
            { "type": "object", "properties": { "\(name)": { "type": "string" } },
              "x-cleat-apply": [
                { "file": "/etc/\(name)", "escape": "line", \(template) } ] }
            """
        }
        // The settings may be those of a later file, and the text may be in a separate file.
        try vendor("schema.d/10-a.json", schema("a", "\"template\": \"{{b}}\""))
        try vendor("schema.d/20-b.json", schema("b", "\"templateFile\": \"b.in\""))
        try vendor("schema.d/b.in", "{{a}}{{b}}")
        let whole = loader.load()
        #expect(whole.findings.isEmpty, "\(whole.findings)")
        #expect(whole.templates.map(\.name) == ["apply:10-a", "apply:20-b"])

        // What was right before still holds, and so do the files that need it.
        let file = try vendor("schema.d/20-b.json", schema("b", "\"template\": \"{{none}}\""))
        let broken = loader.load(after: whole)
        #expect(broken.findings.map(\.subject) == [file] && broken.findings.map(\.line) == [3])
        #expect(broken.templates.count == 2)
        // A loader without the former contents loses that file, and the one that needs its settings.
        let fresh = loader.load()
        #expect(fresh.findings.count == 2 && fresh.templates.isEmpty)
        #expect(try !knows(fresh, "a") && !knows(fresh, "b"))

        // No rule writes to Cleat's own directories, and no template file of another user is read.
        try vendor("schema.d/20-b.json", schema("b", "\"templateFile\": \"b.in\""))
        try directory.write("{{b}}", to: "usr/lib/cleat/schema.d/b.in", mode: 0o666)
        #expect(
            loader.load().findings.contains {
                $0.kind == .refusedFile && $0.subject.hasSuffix("20-b.json") && $0.message.contains("/b.in")
            })
        let own = schema("c", "\"template\": \"{{c}}\"").replacing("/etc/c", with: "/etc/cleat/c")
        try vendor("schema.d/30-c.json", own)
        #expect(
            loader.load().findings.contains {
                $0.kind == .refusedFile && $0.subject.hasSuffix("30-c.json") && $0.message.contains("/etc/cleat")
            })
    }

    @Test(
        "are refused as a whole for a fault of JSON in their rules, with its place",
        arguments: [
            ("[ { \"file\": \"/etc/b\",, } ]", 2, 41), ("[ \"\\q\" ]", 2, 23), ("[ { ] }", 2, 24),
            ("[ [ 1, 01 ] ]", 2, 27),
            ("[ \"open ]", 3, 2), ("[ 1, 2", 3, 2), ("{}", 2, 20), ("null", 2, 20),
        ])
    func brokenRules(rules: String, line: Int, column: Int) throws {
        try vendor("schema.d/10-a.json", Self.schema("a"))
        let file = try admin("schema.d/20-b.json", "{ \"type\": \"object\",\n  \"x-cleat-apply\": \(rules)\n}")
        let loaded = loader.load()
        #expect(loaded.findings.map(\.subject) == [file])
        #expect(loaded.findings.first?.line == line, "\(loaded.findings)")
        #expect(loaded.findings.first?.column == column, "\(loaded.findings)")
        #expect(try knows(loaded, "a") && loaded.templates.isEmpty)
    }

    @Test("are refused for a fault of JSON in their rules before any other, which has no place then")
    func brokenRulesFirst() throws {
        let schema = "{ \"type\": \"object\",\n  \"properties\": { \"b\": { \"typo\": 1 } },\n  \"x-cleat-apply\": %\n}"
        try admin("schema.d/b.json", schema.replacing("%", with: "[ \"\\q\" ]"))
        #expect(loader.load().findings.map(\.line) == [3])
        try admin("schema.d/b.json", schema.replacing("%", with: "[]"))
        let loaded = loader.load()
        #expect(loaded.findings.map(\.line) == [2])
        #expect(loaded.findings.first?.message.contains("typo") == true)
    }

    @Test("are refused as a whole with line, column and keyword, and the others stay in force")
    func broken() throws {
        try vendor("schema.d/10-a.json", Self.schema("a"))
        let file = try admin(
            "schema.d/20-b.json",
            "{\n  \"type\": \"object\",\n  \"properties\": {\n    \"b\": { \"type\": \"integer\" },\n    \"c\": { \"minimun\": 3, \"maximum\": \"x\" }\n  }\n}"
        )
        try vendor("schema.d/30-c.json", Self.schema("c"))
        let loaded = loader.load()
        for path in ["a", "c"] { #expect(try knows(loaded, path)) }
        #expect(try !knows(loaded, "b"))
        #expect(loaded.findings.map(\.subject) == [file, file])
        #expect(loaded.findings.map(\.line) == [5, 5])
        #expect(loaded.findings.map(\.column) == [12, 26])
        #expect(loaded.findings[0].message.contains("minimun") && loaded.findings[1].message.contains("“maximum”"))
        #expect(loaded.findings.allSatisfy { $0.kind == .refusedFile })
    }

    @Test("of two that define one path the later by name is refused, and both are named")
    func conflict() throws {
        let first = try vendor("schema.d/10-a.json", Self.schema("x/y"))
        let second = try admin(
            "schema.d/20-b.json",
            "{\n\"type\": \"object\", \"properties\": {\n \"x\": { \"type\": \"object\", \"properties\": {\n  \"y\": { \"type\": \"string\" } } },\n \"z\": {} } }"
        )
        let third = try vendor("schema.d/30-c.json", Self.schema("system/hostname"))
        let loaded = loader.load()
        #expect(loaded.findings.map(\.subject) == [second, third])
        #expect(loaded.findings[0].message.contains(first) && loaded.findings[0].message.contains("x/y"))
        #expect(loaded.findings[0].line == 4 && loaded.findings[0].column == 3)
        #expect(try knows(loaded, "x/y"))
        #expect(try !knows(loaded, "z"))
        #expect(try loaded.sources.schema.lookup(SettingPath("x/y"))?.types == .integer)
    }

    @Test("of the vendor are used if the administrator's of the same name is refused")
    func fallback() throws {
        let good = try vendor("schema.d/a.json", Self.schema("a"))
        let bad = try admin("schema.d/a.json", "{")
        let loaded = loader.load()
        #expect(try knows(loaded, "a"))
        #expect(loaded.findings.map(\.subject) == [bad])
        #expect(loaded.findings[0].remedy.contains(good))
    }

    @Test("keep their former contents while they are invalid, until they are corrected or removed")
    func reload() throws {
        let file = try admin("schema.d/a.json", Self.schema("a"))
        try admin("schema.d/b.json", Self.schema("b"))
        try admin("defaults.d/d.json5", "{ a: 1 }")
        try admin("locks.d/l.json5", "{ locks: [ { path: 'a', layer: 'vendor' } ] }")
        var loaded = loader.load()
        #expect(loaded.findings.isEmpty, "\(loaded.findings)")
        for name in ["schema.d/a.json", "defaults.d/d.json5", "locks.d/l.json5"] { try admin(name, "{ \"x\"") }
        for _ in 0..<2 {
            loaded = loader.load(after: loaded)
            #expect(try knows(loaded, "a") && knows(loaded, "b"))
            #expect(loaded.findings.map(\.kind) == [.refusedFile, .refusedFile, .refusedFile])
            #expect(loaded.findings.allSatisfy { $0.line == 1 })
            #expect(loaded.sources.vendor.map(\.values) == [["a": 1]] && loaded.sources.locks.count == 1)
        }
        try admin("schema.d/a.json", Self.schema("c"))
        try Files.remove(directory.appending("etc/cleat/defaults.d/d.json5"))
        try Files.remove(directory.appending("etc/cleat/locks.d/l.json5"))
        loaded = loader.load(after: loaded)
        #expect(loaded.findings.isEmpty, "\(loaded.findings)")
        #expect(try !knows(loaded, "a") && knows(loaded, "c"))
        #expect(loaded.sources.vendor.isEmpty && loaded.sources.locks.isEmpty)
        try Files.remove(file)
        #expect(try !knows(loader.load(after: loaded), "c"))
    }

    // MARK: Hostile files

    @Test("are refused by name if they are hostile, and the others stay in force")
    func hostile() throws {
        let place = directory.appending("etc/cleat/schema.d")
        try vendor("schema.d/00-good.json", Self.schema("good"))
        try admin(
            "schema.d/10-large.json", #"{"type": "object", "x": ""# + String(repeating: "x", count: 10_000_000) + #""}"#
        )
        let deep = String(repeating: #"{"type":"object","properties":{"d":"#, count: 100)
        try admin("schema.d/20-deep.json", deep + "{}" + String(repeating: "}}", count: 100))
        try admin(
            "schema.d/30-cycle.json",
            ##"{"type": "object", "properties": {"s": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}"##
        )
        try Files.makePipe(place + "/40-pipe.json")
        try Files.makeLink(place + "/50-zero.json", to: "/dev/zero")
        try Files.makeDirectory(place + "/60-directory.json")
        try admin("schema.d/70-open.json", Self.schema("open"))
        try Files.setMode(place + "/70-open.json", 0o666)
        try admin(
            "schema.d/80-bomb.json", Self.schema("bomb", #""type": "string", "pattern": "((a{1,100}){1,100}){1,100}""#))
        try admin("schema.d/85-back.json", Self.schema("back", #""type": "string", "pattern": "(a)\\1""#))
        try admin("schema.d/90-default.json", Self.schema("port", #""type": "integer", "maximum": 5, "default": 6"#))
        let bytes = Array(#"{"type": "object", "title": ""#.utf8) + [0xff, 0xfe] + Array(#""}"#.utf8)
        let file = try FileDescriptor.open(
            FilePath(place + "/95-bytes.json"), .writeOnly, options: [.create], permissions: .ownerReadWrite)
        try file.closeAfter { _ = try file.writeAll(bytes) }
        try admin("schema.d/98-top.json", "[]")
        try admin("schema.d/99-good.json", Self.schema("last"))
        let loaded = loader.load()
        #expect(try knows(loaded, "good") && knows(loaded, "last"))
        let names = Set(loaded.findings.map { $0.subject.split(separator: "/").last.map(String.init) ?? "" })
        #expect(
            names == [
                "10-large.json", "20-deep.json", "30-cycle.json", "40-pipe.json", "50-zero.json", "60-directory.json",
                "70-open.json", "80-bomb.json", "85-back.json", "90-default.json", "95-bytes.json", "98-top.json",
            ])
        let large = try #require(loaded.findings.first { $0.subject.hasSuffix("large.json") })
        #expect(large.message.contains("1048576"))
    }

    @Test("of another user, or behind a directory that others can write to, are refused")
    func owners() throws {
        let file = try admin("schema.d/a.json", Self.schema("a"))
        try Files.setMode(directory.appending("etc/cleat/schema.d"), 0o777)
        var loaded = loader.load()
        #expect(try !knows(loaded, "a"))
        #expect(loaded.findings.count == 1 && loaded.findings[0].subject == directory.appending("etc/cleat/schema.d"))
        try Files.setMode(directory.appending("etc/cleat/schema.d"), 0o755)
        guard ProcessSelf.uid == 0 else { return }
        try Files.setOwner(file, user: 4_242)
        loaded = loader.load()
        #expect(try !knows(loaded, "a"))
        #expect(loaded.findings.map(\.subject) == [file])
    }

    @Test("are read up to a number, and no further")
    func count() throws {
        for index in 0..<(SourceLimits.files + 2) {
            try vendor("schema.d/\(10_000 + index).json", index == SourceLimits.files ? "{" : "")
        }
        let loaded = loader.load()
        #expect(loaded.findings.map(\.subject) == [directory.appending("usr/lib/cleat/schema.d")])
        #expect(loaded.findings[0].message.contains("1024"))
    }

    @Test("report a bounded number of findings")
    func findings() throws {
        let broken = (0..<200).map { #""p\#($0)": { "nonsense": 1 }"# }.joined(separator: ", ")
        for index in 0..<100 {
            try vendor("schema.d/\(index).json", #"{ "type": "object", "properties": { \#(broken) } }"#)
        }
        let loaded = loader.load()
        #expect(loaded.findings.count == SourceLimits.findings)
        let perFile = SourceLimits.findingsPerFile
        #expect(Set(loaded.findings.prefix(perFile).map(\.subject)).count == 1)
        // Only the last one of a file has a number: that of those that are left out.
        let numbered = loaded.findings.prefix(perFile).map { $0.message.contains(where: \.isNumber) }
        #expect(numbered.firstIndex(of: true) == perFile - 1, "\(loaded.findings[perFile - 1])")
    }

    // MARK: Values

    @Test("have defaults and factory data")
    func values() throws {
        try vendor("defaults.d/10-a.json5", "// a board\n{ system: { hostname: 'vendor' } }")
        try admin("defaults.d/20-b.json5", "{ system: { timezone: 'Europe/Berlin' } }")
        try vendor("defaults.d/30-c.json5", "{ system: { hostname: 'masked' } }")
        try admin("defaults.d/30-c.json5", "")
        try directory.write("{ network: { interfaces: { eth0: { mtu: 1400 } } } }", to: "var/lib/cleat/factory.json5")
        let loaded = loader.load()
        #expect(loaded.findings.isEmpty, "\(loaded.findings)")
        #expect(
            loaded.sources.vendor.map(\.values) == [
                ["system": ["hostname": "vendor"]], ["system": ["timezone": "Europe/Berlin"]],
            ])
        let settings = LayeredSettings(sources: loaded.sources)
        #expect(try settings.value(at: SettingPath("system/hostname"))?.origin == .vendor)
        #expect(try settings.value(at: SettingPath("network/interfaces/eth0/mtu"))?.origin == .factory)
    }

    @Test("report the position of values that the schema refuses")
    func places() throws {
        let file = try vendor(
            "defaults.d/a.json5", "{\n  system: {\n    hostname: 'no name',\n    hostnme: 'x',\n    timezone: 'UTC' } }"
        )
        let loaded = loader.load()
        let settings = LayeredSettings(sources: loaded.sources)
        let findings = SettingsDiagnosis(settings: settings, loaded: loaded).findings
        #expect(findings.map(\.kind) == [.refusedDefault, .refusedDefault])
        #expect(findings.map(\.subject) == [file, file])
        #expect(findings.map(\.line) == [3, 4] && findings.map(\.column) == [5, 5])
        #expect(try settings.value(at: SettingPath("system/timezone"))?.origin == .vendor)
    }

    static let wrongValues: [(text: String, line: Int, column: Int)] = [
        ("[]", 1, 1), ("{ a: 1,\n  b }", 2, 5), ("{\n '': 1 }", 2, 2), ("{\n a: 1,\n '..': 1 }", 3, 2),
    ]

    @Test("of values are refused as a whole if they are not trees", arguments: wrongValues)
    func wrongValue(_ text: String, _ line: Int, _ column: Int) throws {
        let file = try vendor("defaults.d/a.json5", text)
        try vendor("defaults.d/b.json5", "{ system: { hostname: 'b' } }")
        let loaded = loader.load()
        #expect(loaded.findings.map(\.subject) == [file])
        #expect(loaded.findings.map(\.line) == [line] && loaded.findings.map(\.column) == [column])
        #expect(loaded.sources.vendor.count == 1)
    }

    // MARK: Locks

    @Test("pin paths to layers")
    func locks() throws {
        let file = try vendor(
            "locks.d/a.json5",
            "{ locks: [ { path: 'system/hostname', layer: 'factory', reason: 'on the label' }, { path: '/', layer: 'committed' } ] }"
        )
        let loaded = loader.load()
        #expect(loaded.findings.isEmpty, "\(loaded.findings)")
        #expect(
            try loaded.sources.locks == [
                SettingLock(
                    path: SettingPath("system/hostname"), layer: .factory, file: file, reason: "on the label"),
                SettingLock(path: nil, layer: .committed, file: file),
            ])
    }

    static let wrongLocks: [(text: String, line: Int, column: Int, words: String)] = [
        ("[]", 1, 1, "object"), ("{}", 1, 1, "locks"), ("{ locks: {} }", 1, 10, "list"),
        ("{ locks: [],\n lock: [] }", 2, 2, "'lock'"), ("{ locks: [ { path: 'a' } ] }", 1, 12, "layer"),
        ("{ locks: [ { layer: 'vendor' } ] }", 1, 12, "path"),
        ("{ locks: [ { path: 'a', layer: 'volatile' } ] }", 1, 32, "schema_default, vendor, factory, committed"),
        ("{ locks: [ { path: 'a', layer: 'vendor', why: 1 } ] }", 1, 42, "'why'"),
        ("{ locks: [ { path: 'a//b', layer: 'vendor' } ] }", 1, 20, "path"),
        ("{ locks: [ { path: '', layer: 'vendor' } ] }", 1, 20, "whole tree"),
        ("{ locks: [ { path: 7, layer: 'vendor' } ] }", 1, 20, "text"),
        ("{ locks: [ 'a' ] }", 1, 12, "object"), ("{ locks: [", 1, 11, ""),
        ("{ locks: [ { path: 'a', layer: 'vendor', reason: 1 } ] }", 1, 50, "text"),
    ]

    @Test("of locks are refused as a whole with line and column", arguments: wrongLocks)
    func wrongLock(_ text: String, _ line: Int, _ column: Int, _ words: String) throws {
        let file = try vendor("locks.d/a.json5", text)
        try vendor("locks.d/b.json5", "{ locks: [ { path: 'a', layer: 'vendor' } ] }")
        let loaded = loader.load()
        #expect(loaded.findings.map(\.subject) == [file])
        #expect(loaded.findings.map(\.line) == [line] && loaded.findings.map(\.column) == [column])
        #expect(loaded.findings[0].message.contains(words), "\(loaded.findings[0].message)")
        #expect(loaded.sources.locks.count == 1)
    }

    @Test("report a lock with a mistyped path")
    func idleLock() throws {
        try vendor("locks.d/a.json5", "{ locks: [ { path: 'system/hostnme', layer: 'vendor' } ] }")
        let loaded = loader.load()
        let findings = SettingsDiagnosis(settings: LayeredSettings(sources: loaded.sources), loaded: loaded).findings
        #expect(findings.map(\.kind) == [.configuration] && findings[0].subject.hasSuffix("a.json5"), "\(findings)")
        #expect(findings[0].message.contains("system/hostname"), "\(findings)")
    }
}
