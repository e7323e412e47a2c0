import CleatAPI
import CleatIO
import CleatTestSupport
import Testing

/// Tests of programs that check the new contents of files before these are written, with the real programs.
@Suite(
    "Contents are checked before use, end to end", .tags(.board), .serialized,
    .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
struct ContentCheckTests {
    /// Notes its calls and what it was given, and does what the content says.
    private static func program(_ board: Board) -> String {
        """
        file=$2
        echo "$1 $(stat -c '%a %u' "$file") $(stat -c %a "${file%/*}")" >>'\(board.directory.text)/runs'
        read -r word mode <"$file"
        case $mode in
        bad) echo "$file:1: no mode is called $mode"; echo 'one error' >&2; exit 2 ;;
        quiet) exit 3 ;;
        hang) while :; do sleep 60; done ;;
        esac
        """
    }

    private static func schema(_ check: String, rest: String = "") -> String {
        """
        { "type": "object", "properties": { "app": { "type": "object", "properties": {
            "mode": { "type": "string" }, "key": { "type": "string", "writeOnly": true } } } },
          "x-cleat-apply": [
            { "file": "/etc/app.conf", "escape": "word", "template": "mode {{app/mode}}\\n", "when": ["app/mode"],
              "check": [\(check)], "timeout": "2s" }\(rest) ] }
        """
    }

    private static func run(_ board: Board, _ words: [String], status: Int32 = 0) async throws -> Board.Finished {
        let done = try await board.script(#"exec "$CLEAT" "$@""#, words)
        #expect(done.status == status, "\(words): \(done)")
        return done
    }

    @Test("A refusal is that of the setting, with the output, in each form; nothing is written, and no content is left")
    func refusal() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let program = try board.write(program: "checker", Self.program(board))
            try board.write(admin: "schema.d/10-app.json", Self.schema(#""\#(program)", "-c", "{file}""#))
            let space = try await board.makeNamespace(UnmanagedTests.preparation)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            _ = try await Self.run(board, ["set", "app/mode=good"])
            let runs = "cat '\(board.directory.text)/runs'"
            // Only the service's user can read the content.
            #expect(try await space.script(runs).output == "-c 600 0 700\n")
            let generation = try await agent.status().generation

            for words in [
                ["set"], ["plan"], ["set", "--check"], ["set", "--confirm", "1m"], ["set", "--volatile"],
                ["plan", "--rehearse"],
            ] {
                let refused = try await Self.run(board, words + ["app/mode=bad"], status: 65)
                #expect(
                    refused.errorText.contains("app/mode: would write /etc/app.conf")
                        && refused.errorText.contains("saying “/etc/app.conf:1: no mode is called bad; one error”"),
                    "\(words): \(refused)")
            }
            let quiet = try await Self.run(board, ["set", "app/mode=quiet"], status: 65)
            #expect(quiet.errorText.contains("exited with 3 without output"), "\(quiet)")
            let hanging = try await Self.run(board, ["set", "app/mode=hang"], status: 65)
            #expect(hanging.errorText.contains("did not end within 2"), "\(hanging)")
            #expect(try await space.script("cat /etc/app.conf; ls -A \(board.runtime)/staged").output == "mode good\n")
            #expect(try await agent.status().generation == generation)

            // A rollback and a snapshot to a content that is refused by now are refused, too.
            _ = try await Self.run(board, ["snapshot", "create", "good"])
            _ = try await Self.run(board, ["set", "app/mode=other"])
            try board.write(program: "checker", "echo 'only other'; grep -q other \"$2\"")
            for words in [["rollback"], ["snapshot", "restore", "good"]] {
                let refused = try await Self.run(board, words, status: 65)
                #expect(refused.errorText.contains("only other"), "\(words): \(refused)")
            }
            // What needs no check is made.
            _ = try await Self.run(board, ["unset", "app/mode"])
            #expect(try await space.script("ls /etc/app.conf 2>/dev/null || echo gone").output == "gone\n")
            try SystemCalls.remove(program)
            let missing = try await Self.run(board, ["set", "app/mode=other"], status: 65)
            #expect(missing.errorText.contains("there is no \(program); install it"), "\(missing)")
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test(
        "A changed template is checked when it is reloaded, and a content that was accepted is not checked at a start")
    func reconciling() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let program = try board.write(program: "checker", Self.program(board))
            let check = #""\#(program)", "-c", "{file}""#
            try board.write(admin: "schema.d/10-app.json", Self.schema(check))
            let space = try await board.makeNamespace(UnmanagedTests.preparation)
            var options = space.options
            options.isRooted = false
            var agent = try await board.start(options)
            _ = try await Self.run(board, ["set", "app/mode=good"])

            // The file of an /etc that is made again with each boot is written without the program.
            try await agent.stop()
            try board.write(program: "checker", "echo never; exit 1")
            try SystemCalls.remove(board.runtime + "/applied")
            try await space.script("rm /etc/app.conf")
            agent = try await board.start(options)
            #expect(try await space.script("cat /etc/app.conf").output == "mode good\n")
            #expect(try await agent.findings().isEmpty)

            try board.write(
                admin: "schema.d/10-app.json", Self.schema(check).replacing("mode {{", with: "kind {{"))
            _ = try await board.cleat("reload")
            #expect(try await space.script("cat /etc/app.conf").output == "mode good\n")
            let doctor = try await Self.run(board, ["doctor"], status: 1)
            #expect(
                doctor.output.contains("whose new content was refused") && doctor.output.contains("never"), "\(doctor)")
            try board.write(program: "checker", "exit 0")
            _ = try await Self.run(board, ["reapply", "--all"])
            #expect(try await space.script("cat /etc/app.conf").output == "kind good\n")
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test("The output is hidden where a rule follows a secret; with --root nothing is run, and that is reported")
    func hidden() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let program = try board.write(program: "checker", "cat \"$2\"; echo CHECKSECRET; exit 1")
            try board.write(
                admin: "schema.d/10-app.json",
                Self.schema(
                    #""\#(program)", "{file}""#,
                    rest: #", { "file": "/etc/app.key", "escape": "word", "template": "{{app/key}}\n" }"#))
            try SystemCalls.makeDirectory(board.root + "/etc")
            let agent = try await board.start()
            let below = try await Self.run(board, ["set", "app/mode=one"])
            #expect(
                below.output.contains("\(program) does not check /etc/app.conf: programs are not run with --root"),
                "\(below)")
            try await agent.stop()
            let space = try await board.makeNamespace(UnmanagedTests.preparation)
            var options = space.options
            options.isRooted = false
            _ = try await board.start(options)
            let refused = try await Self.run(board, ["set", "app/mode=two"], status: 65)
            #expect(
                refused.errorText.contains("its output is hidden") && !refused.errorText.contains("CHECKSECRET"),
                "\(refused)")
        }
    }

    @Test(
        "The real sshd refuses what it does not know",
        .enabled(if: Machine.can("test -x /usr/sbin/sshd && command -v ssh-keygen", "needs sshd(8)")))
    func sshd() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let key = board.directory.appending("host-key")
            try board.write(
                admin: "schema.d/10-ssh.json",
                """
                { "type": "object", "properties": { "services": { "type": "object", "properties": {
                    "ssh": { "type": "object", "properties": { "ciphers": { "type": "string" } } } } } },
                  "x-cleat-apply": [
                    { "file": "/etc/sshd-cleat.conf", "escape": "word", "template": "Ciphers {{services/ssh/ciphers}}\\n",
                      "check": ["/usr/sbin/sshd", "-t", "-h", "\(key)", "-f", "{file}"] } ] }
                """)
            let space = try await board.makeNamespace(
                UnmanagedTests.preparation + "\nmount -t tmpfs none /run\nmkdir -p /run/sshd\n"
                    + "ssh-keygen -q -t ed25519 -N '' -f \(key)")
            var options = space.options
            options.isRooted = false
            _ = try await board.start(options)
            _ = try await Self.run(board, ["set", "services/ssh/ciphers=aes256-ctr"])
            let refused = try await Self.run(board, ["set", "services/ssh/ciphers=rot13"], status: 65)
            #expect(
                refused.errorText.contains("/etc/sshd-cleat.conf line 1: Bad SSH2 cipher spec 'rot13'"), "\(refused)")
            #expect(try await space.script("cat /etc/sshd-cleat.conf").output == "Ciphers aes256-ctr\n")
        }
    }
}
