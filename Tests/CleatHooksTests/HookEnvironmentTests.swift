import CleatAPI
import CleatHooks
import CleatJSON
import Testing

@Suite("The environment of a hook")
struct HookEnvironmentTests {
    static let context = HookContext(instance: "i-1", bootID: "5e3c0ffe", socket: "/run/cleat/socket")

    private func variables(_ event: Event) -> [String: String] {
        HookEnvironment.variables(
            for: event, hook: "10-a", cause: HookCause("hook:x").adding("10-a"), context: Self.context)
    }

    @Test("is the event as environment")
    func environment() {
        let event = Event.make(properties: ["DEVNAME": "/dev/sda", "ID_SERIAL": "x y\nz"])
        #expect(
            variables(event) == [
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "CLEAT_SOURCE": "link", "CLEAT_ACTION": "change",
                "CLEAT_SUBJECT": "eth0", "CLEAT_SEQUENCE": "1", "CLEAT_TIME": "2024-05-06T07:08:09.123Z",
                "CLEAT_INSTANCE": "i-1", "CLEAT_SOCKET": "/run/cleat/socket", "CLEAT_HOOK": "10-a",
                "CLEAT_CAUSE": "hook:x hook:10-a", "DEVNAME": "/dev/sda", "ID_SERIAL": "x y\nz",
            ])
    }

    @Test(
        "keeps harmless properties",
        arguments: ["ACTION", "DEVNAME", "SUBSYSTEM", "ID_FS_UUID", "_X", "A1", "TYPE", "PRODUCT", "OPERSTATE", "TAGS"])
    func keeps(name: String) {
        #expect(variables(.make(properties: [name: "v"]))[name] == "v")
    }

    @Test(
        "has no property that programs act on",
        arguments: [
            "LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "IFS", "BASH_ENV", "BASH_FUNC_ls", "BASHOPTS", "ENV", "SHELLOPTS",
            "PYTHONPATH", "PYTHONSTARTUP", "PERL5LIB", "PERLLIB", "RUBYOPT", "NODE_OPTIONS", "GCONV_PATH",
            "MALLOC_CHECK_",
            "GLIBC_TUNABLES", "TMPDIR", "HOME", "LOCPATH", "LC_ALL", "GIT_SSH", "NOTIFY_SOCKET", "CLEAT_SOCKET",
            "CLEAT_NEW", "", "1A", "lower", "Mixed", "A-B", "A=B", "A B", "BASH_FUNC_x%%", "É",
        ])
    func drops(name: String) {
        #expect(!variables(.make(properties: [name: "evil"])).values.contains("evil"))
    }

    @Test("has no NUL and a bounded size")
    func bounds() {
        var properties = ["NUL": "a\0b"]
        for number in 0..<100 { properties["P\(number)"] = String(repeating: "x", count: 2000) }
        let result = variables(.make("sub\0ject", properties: properties))
        #expect(result["NUL"] == nil)
        #expect(result["CLEAT_SUBJECT"] == "")
        #expect(result["PATH"] == HookEnvironment.searchPath)
        let bytes = result.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 2 }
        #expect(bytes <= HookLimits.environmentBytes && bytes > 60_000)
    }

    @Test("is the event as one line of JSON, as on the wire", arguments: [nil, "hook:x"])
    func input(cause: String?) throws {
        let event = Event.make(properties: ["LD_PRELOAD": "evil", "B": "2", "A": "1\n"], cause: cause)
        let line = HookEnvironment.input(for: event)
        #expect(line.filter { $0 == UInt8(ascii: "\n") }.count == 1 && line.last == UInt8(ascii: "\n"))
        let value = try JSONReader.read(Array(line.dropLast()))
        let keys = try #require(value.objectValue).map(\.key)
        #expect(
            keys == [
                "sequence", "source", "action", "subject", "properties", "time", "boot_id", "boot_time", "synchronised",
            ] + (cause == nil ? [] : ["cause"]) + ["restored"])
        #expect(value.objectValue?["properties"] == .object(["A": "1\n", "B": "2", "LD_PRELOAD": "evil"]))
        #expect(value.objectValue?["sequence"] == .integer(1))
    }
}

@Suite("Causes")
struct HookCauseTests {
    @Test(
        "name the hooks that caused an event",
        arguments: [
            (nil, []), ("", []), ("transaction-7", []), ("hook:a", ["a"]), ("hook:a hook:b", ["a", "b"]),
            ("x hook:a  y", ["a"]),
        ] as [(String?, [String])])
    func reads(text: String?, hooks: [String]) {
        #expect(HookCause(text).hooks == hooks)
    }

    @Test("prevent a hook from triggering itself, and endless chains")
    func forbids() {
        let cause = HookCause("hook:a").adding("b")
        #expect(cause.description == "hook:a hook:b")
        #expect(cause.forbids("a") && cause.forbids("b") && !cause.forbids("c"))
        var long = HookCause(nil)
        for number in 0..<HookCause.limit {
            #expect(!long.forbids("new"))
            long = HookCause(long.adding("h\(number)").description)
        }
        #expect(long.forbids("new"))
    }
}
