import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

@Suite("Deployed files")
struct DeploymentTests {
    private static let deploy = TestPlaces.package.appending("deploy")
    static let systemdReason: Comment = "systemd-analyze is not installed"
    static let hasSystemd = Machine.can("command -v systemd-analyze", systemdReason)

    @Test("systemd accepts the units without a message", .enabled(if: hasSystemd, systemdReason))
    func unit() async throws {
        try await Board.with { board in
            let result = try await board.script(
                """
                sed "s|^ExecStart=/usr/bin/cleatd|ExecStart=$CLEATD|" $1/systemd/cleatd.service >$D/cleatd.service
                grep -q "^ExecStart=$CLEATD" $D/cleatd.service || exit 3
                sed "s|^ExecStart=/usr/bin/cleat-location|ExecStart=$LOCATION|" $1/systemd/cleat-location.service \
                    >$D/cleat-location.service
                grep -q "^ExecStart=$LOCATION" $D/cleat-location.service || exit 3
                cp $1/systemd/cleatd-retry.timer $D
                exec systemd-analyze verify --man=no $D/cleatd.service $D/cleatd-retry.timer $D/cleat-location.service 2>&1
                """, [Self.deploy.string], environment: ["LOCATION": TestPlaces.program("cleat-location").string])
            #expect(result.status == 0, "\(result.output)")
            // What it says of other units of this machine is not ours.
            #expect(!result.lines.contains { $0.contains("cleat") }, "\(result.output)")
        }
    }

    @Test("The init scripts are shell scripts", arguments: ["busybox/S15cleatd", "openrc/cleatd"])
    func scripts(name: String) async throws {
        try await Board.with { board in
            let result = try await board.script("sh -n $1", [Self.deploy.appending(FilePath(name).components).string])
            #expect(result.status == 0 && result.errorText.isEmpty, "\(result.errorText)")
        }
    }

    @Test("The examples load without a problem, and the commented values are the defaults")
    func examples() async throws {
        try await Board.with { board in
            _ = try await board.script(
                "cp $1/cleatd.json5 $D/etc/; cp $1/hooks.d/*.json5 $D/etc/hooks.d/; chmod -R go-w $D/etc",
                [Self.deploy.appending("examples").string])
            let agent = try await board.start()
            let status = try await agent.status()
            #expect(status.configProblem == nil)
            let hooks = try await agent.call(HooksInterface.List.self, .init())
            let count = try names(in: board.hooks).count
            // A program that this machine lacks is reported, but that is not an error of the file.
            let wrong = hooks.problems.filter { !$0.message.contains("does not exist") }
            #expect(wrong.isEmpty, "\(wrong)")
            // One that is off until its user has made a directory is not listed.
            let off = try await board.script("cat $D/etc/hooks.d/*.json5 | grep -c 'enabled: false'").output
            #expect(hooks.hooks.count + hooks.problems.count + (Int(off.dropLast()) ?? 0) >= count)
            let log = try await agent.stop().outputText
            #expect(!log.contains("unknown member"), "\(log)")
        }
    }

    @Test("The example of a schema is accepted, and so are its defaults and its lock")
    func schema() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let copied = try await board.script(
                "cd $1 && cp schema.d/* $D/root/usr/lib/cleat/schema.d/ && cp defaults.d/* $D/etc/defaults.d/ && cp locks.d/* $D/etc/locks.d/ && chmod -R go-w $D/root $D/etc",
                [Self.deploy.appending("examples").string])
            try #require(copied.status == 0, "\(copied.errorText)")
            let agent = try await board.start()
            #expect(try await agent.findings().isEmpty)
            #expect(try await agent.get("ssh/port") == 22)
            #expect(try await agent.get("ssh/password_login") == false)
            #expect(try await agent.get("ssh/idle_timeout") == "15m")
            try await agent.set([
                "ssh/authorized_keys": [
                    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAbcdefghijklmnopqrstuvwxyz pump"
                ]
            ])
            let locked = try await agent.refusal(
                SettingsInterface.Set.name, ["changes": [["path": "system/hostname", "value": "x"]]])
            #expect(locked.name == "dev.cleat.Settings.SettingLocked", "\(locked)")
            #expect("\(locked)".contains("it is printed on the label"), "\(locked)")
        }
    }
}
