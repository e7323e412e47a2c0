import CleatAgent
import CleatSettings
import SystemPackage
import Testing

@Suite("command line of the service")
struct AgentOptionsTests {
    @Test("reads options in both spellings")
    func spellings() throws {
        let options = try AgentOptions([
            "--state", "/a", "--runtime=/b", "--config", "c", "--root=/r", "--socket", "/s=1", "--log-level=debug",
            "--log", "syslog", "--no-hooks",
        ])
        #expect(!options.runsHooks)
        #expect(try AgentOptions([]).runsHooks)
        #expect(options.state == "/a")
        #expect(options.runtime == "/b")
        #expect(options.config == "c")
        #expect(options.root == "/r")
        #expect(options.socket == "/s=1")
        #expect(options.logLevel == .debug)
        #expect(options.log == .syslog)
        #expect(options.action == .serve)
    }

    @Test(
        "knows what it is asked to do",
        arguments: [
            ([], AgentOptions.Action.serve), (["connect"], .connect), (["connect", "--socket", "/s"], .connect),
            (["--version"], .version), (["--state", "/a", "--help"], .help), (["connect", "--help"], .help),
        ])
    func actions(arguments: [String], action: AgentOptions.Action) throws {
        #expect(try AgentOptions(arguments).action == action)
    }

    @Test(
        "refuses what does not fit, and names it",
        arguments: [
            (["--nonsense"], "--nonsense"), (["--state"], "--state needs a value"),
            (["--state="], "--state needs a value"), (["--log-level", "loud"], "loud"), (["--log=file"], "file"),
            (["--version=1"], "--version takes no value"), (["serve"], "serve"),
            (["connect", "--state", "/a"], "--state"),
        ])
    func refusals(arguments: [String], part: String) {
        let error = #expect(throws: UsageError.self) { try AgentOptions(arguments) }
        #expect(error?.description.contains(part) == true)
        #expect(error?.description.contains("--help") == true)
    }
}

@Suite("directories of the service")
struct AgentPathsTests {
    private func paths(
        _ arguments: [String] = [], _ environment: [String: String] = [:], uid: UInt32
    ) throws -> AgentPaths {
        try AgentPaths(
            options: AgentOptions(arguments), environment: environment, uid: uid, workingDirectory: "/somewhere")
    }

    @Test("root has the system's directories")
    func root() throws {
        let paths = try paths(uid: 0)
        #expect(paths.state == "/var/lib/cleat")
        #expect(paths.runtime == "/run/cleat")
        #expect(paths.config == "/etc/cleat")
        #expect(paths.socket == "/run/cleat/socket")
        #expect(paths.root == nil)
    }

    @Test("an ordinary user has those of the XDG specification")
    func user() throws {
        let plain = try paths([], ["HOME": "/home/u"], uid: 1000)
        #expect(plain.state == "/home/u/.local/state/cleat")
        #expect(plain.runtime == "/home/u/.local/state/cleat/run")
        #expect(plain.config == "/home/u/.config/cleat")
        let set = try paths(
            [],
            [
                "HOME": "/home/u", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/run/user/1000",
                "XDG_CONFIG_HOME": "relative/is/ignored",
            ], uid: 1000)
        #expect(set.state == "/s/cleat")
        #expect(set.socket == "/run/user/1000/cleat/socket")
        #expect(set.config == "/home/u/.config/cleat")
    }

    @Test("a root of its own holds the defaults, not what was named")
    func ownRoot() throws {
        let paths = try paths(["--root", "image", "--state", "../store"], ["HOME": "/home/u"], uid: 1000)
        #expect(paths.root == "/somewhere/image")
        #expect(paths.state == "/store")
        #expect(paths.runtime == "/somewhere/image/run/cleat")
        #expect(
            paths.hookDirectories == ["/somewhere/image/usr/lib/cleat/hooks.d", "/somewhere/image/etc/cleat/hooks.d"])
    }

    @Test("without a home, the option to give is named")
    func homeless() {
        let error = #expect(throws: UsageError.self) { try paths(uid: 1000) }
        #expect(error?.description.contains("--state") == true)
    }
}
