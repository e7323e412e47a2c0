import CleatAPI
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of `cleat schema list`, `enable` and `disable`.
@Suite("Installed schemas are enabled by their names")
struct InstalledSchemaTests {
    private static func install(_ board: Board) async throws {
        let made = try await board.script(
            """
            mkdir -p $D/root/usr/share/cleat $D/root/etc
            cp -R \(ReadySchemas.place) $D/root/usr/share/cleat/schemas
            chmod -R go-w $D/root
            """)
        try #require(made.status == 0, "\(made.errorText)")
    }

    private static func run(_ board: Board, _ words: String..., status: Int32 = 0) async throws -> Board.Finished {
        let done = try await board.cleat(words)
        #expect(done.status == status, "\(words): \(done)")
        return done
    }

    private static func state(_ board: Board, _ name: String) async throws -> String? {
        let lines = try await run(board, "schema", "list").output.split(separator: "\n")
        return lines.map { $0.split(separator: " ") }.first { $0.first == name[...] }.map { String($0[1]) }
    }

    @Test("An enabled schema is in force at once and after a restart; it is disabled only if nothing of it is set")
    func enable() async throws {
        try await Board.with { board in
            try await Self.install(board)
            var agent = try await board.start()
            let list = try await Self.run(board, "schema", "list").output
            #expect(list.split(separator: "\n").count == 5 && list.contains("A firewall by nftables"), "\(list)")
            #expect(try await Self.state(board, "services") == "disabled")
            let file = "\(board.directory.appending("etc/schema.d/services.json"))"
            _ = try await Self.run(board, "set", "services/units/web/enabled=true", status: 65)
            let enabled = try await Self.run(board, "schema", "enable", "services")
            #expect(enabled.output == "services: enabled (\(file))\n", "\(enabled)")
            #expect(try await Self.run(board, "schema", "enable", "services").output.contains("was enabled already"))
            #expect(try await Self.state(board, "services") == "enabled")
            _ = try await Self.run(board, "set", "services/units/web/enabled=true")
            #expect(
                try await board.script("cat $D/root/etc/cleat-services").output.hasSuffix("\nweb on\n"))

            // The settings of a schema outlast it in no case.
            let set = try await Self.run(board, "schema", "disable", "services", status: 65)
            #expect(set.errorText.contains("cleat unset services/units/web/enabled"), "\(set)")
            #expect(try await Self.run(board, "get", "services/units/web/enabled").output == "true\n")
            try await agent.stop()
            agent = try await board.start()
            #expect(try await Self.run(board, "get", "services/units/web/enabled").output == "true\n")

            _ = try await Self.run(board, "unset", "services/units/web/enabled")
            let disabled = try await Self.run(board, "schema", "disable", "services")
            #expect(disabled.output == "services: disabled (\(file))\n", "\(disabled)")
            #expect(try await Self.run(board, "schema", "disable", "services").output.contains("was disabled already"))
            #expect(!SystemCalls.exists(file))
            _ = try await Self.run(board, "set", "services/units/web/enabled=true", status: 65)
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test("Unknown names, edited copies and schemas that are refused change nothing")
    func refused() async throws {
        try await Board.with { board in
            try await Self.install(board)
            let agent = try await board.start()
            for name in [
                "nothing", "../sshd", "", "sshd.json", "sshd\n", String(repeating: "x", count: 5_000), "sshd/",
            ] {
                let refused = try await Self.run(board, "schema", "enable", name, status: 65)
                #expect(refused.errorText.contains("authorized-keys, nftables, services, sshd"), "\(name): \(refused)")
            }
            _ = try await Self.run(board, "schema", "enable", "sshd")
            _ = try await board.script("echo >>$D/etc/schema.d/sshd.json")
            #expect(try await Self.state(board, "sshd") == "changed")
            for verb in ["enable", "disable"] {
                let refused = try await Self.run(board, "schema", verb, "sshd", status: 65)
                #expect(refused.errorText.contains("was edited; unset its settings"), "\(refused)")
            }
            #expect(SystemCalls.exists(board.directory.appending("etc/schema.d/sshd.json")))

            // An update of the package changes nothing by itself; enabling takes the new version, disabling removes the old.
            _ = try await Self.run(board, "schema", "enable", "authorized-keys")
            let installed = "$D/root/usr/share/cleat/schemas/authorized-keys.json"
            _ = try await board.script("echo >>\(installed)")
            #expect(try await Self.state(board, "authorized-keys") == "outdated")
            #expect(try await Self.run(board, "schema", "enable", "authorized-keys").output.contains(": enabled ("))
            #expect(try await Self.state(board, "authorized-keys") == "enabled")
            _ = try await board.script("echo >>\(installed)")
            #expect(try await Self.run(board, "schema", "disable", "authorized-keys").output.contains(": disabled ("))
            #expect(try await board.script("ls -A $D/etc/schema.d").output == ".sshd.sha256\nsshd.json\n")

            // A setting of the same path is defined elsewhere.
            try board.write(
                admin: "schema.d/10-own.json",
                """
                { "type": "object", "properties": { "services": { "type": "object", "properties": {
                    "units": { "type": "string" } } } } }
                """)
            _ = try await Self.run(board, "reload")
            let clash = try await Self.run(board, "schema", "enable", "services", status: 65)
            #expect(clash.errorText.contains("the schema services is refused"), "\(clash)")
            #expect(try await Self.state(board, "services") == "disabled")
            #expect(try await agent.findings().isEmpty)

            // A file that others can write is no installed schema.
            _ = try await board.script("chmod o+w $D/root/usr/share/cleat/schemas/nftables.json")
            let open = try await Self.run(board, "schema", "enable", "nftables", status: 65)
            #expect(open.errorText.contains("can be written by everyone"), "\(open)")
            #expect(try await Self.state(board, "nftables") == "refused")
            // Neither is a directory that others can write one for schemas in force.
            _ = try await board.script("chmod o+w $D/etc/schema.d")
            let directory = try await Self.run(board, "schema", "enable", "services", status: 1)
            #expect(directory.errorText.contains("can be written by everyone"), "\(directory)")
            _ = try await board.script("chmod o-w $D/etc/schema.d")
            _ = try await board.script("rm -r $D/root/usr/share/cleat")
            let none = try await Self.run(board, "schema", "list")
            #expect(none.output.contains("no schema is installed"), "\(none)")
        }
    }

    @Test("A schema stays while a change of its settings is on trial, and while one is set in any layer")
    func onTrial() async throws {
        try await Board.with { board in
            try await Self.install(board)
            let agent = try await board.start()
            _ = try await Self.run(board, "schema", "enable", "services")
            _ = try await Self.run(board, "set", "services/units/web/enabled=true")
            _ = try await Self.run(board, "unset", "services/units/web/enabled", "--confirm", "5m", "--id", "t")
            let pending = try await board.cleat("schema", "disable", "services")
            #expect(pending.status == 75 && pending.errorText.contains("is on trial"), "\(pending)")
            _ = try await Self.run(board, "abort", "t")
            #expect(try await Self.run(board, "get", "services/units/web/enabled").output == "true\n")
            _ = try await Self.run(board, "unset", "services/units/web/enabled")
            _ = try await Self.run(board, "set", "--volatile", "services/units/web/enabled=true")
            let volatile = try await Self.run(board, "schema", "disable", "services", status: 65)
            #expect(volatile.errorText.contains("cleat unset --volatile services/units/web/enabled"), "\(volatile)")
            _ = try await Self.run(board, "unset", "--volatile", "services/units/web/enabled")
            _ = try await Self.run(board, "schema", "disable", "services")
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test("A guarded file of settings whose changes are not guarded is refused by the reader")
    func unguarded() async throws {
        try await Board.with { board in
            try board.directory.write(
                """
                { "type": "object", "x-cleat-apply": [ { "file": "/etc/app.conf", "escape": "word", "guard": true,
                  "template": "name {{system/hostname}}\n" } ] }
                """.replacing("\n\"", with: "\\n\""), to: "app.json")
            let checked = try await board.cleat("schema", "check", board.directory.appending("app.json"))
            #expect(
                checked.status == 65
                    && checked.output.contains("“system/hostname”, and changes of the group “system” are not guarded"),
                "\(checked)")
        }
    }

    @Test("With --root they work without a service")
    func rooted() async throws {
        try await Board.with { board in
            try await Self.install(board)
            let root = board.root
            let done = try await board.script(
                """
                cd $D && exec 2>&1 && "$CLEAT" --root \(root) schema enable services \
                    && "$CLEAT" --root \(root) schema list | head -n 2 \
                    && "$CLEAT" --root \(root) set services/units/web/enabled=false \
                    && cat \(root)/etc/cleat-services && ls \(root)/etc/cleat/schema.d
                """)
            #expect(
                done.status == 0 && done.output.contains("services: enabled") && done.output.contains("web off")
                    && done.output.hasSuffix("services.json\n"), "\(done)")
            // A link in the image leads to this machine.
            let link = try await board.script(
                """
                mkdir $D/host; rm -r \(root)/etc/cleat/schema.d; ln -s $D/host \(root)/etc/cleat/schema.d
                "$CLEAT" --root \(root) schema enable sshd 2>&1; ls $D/host
                """)
            #expect(link.output.contains("is a symbolic link") && !link.output.contains("sshd.json\n"), "\(link)")
        }
    }
}
