import CleatAPI
import CleatTestSupport
import Testing

/// Tests of links that another user puts in the place of a managed file, with the real programs.
@Suite("Links in the place of managed files, end to end", .tags(.board), .serialized)
struct PlantedLinkTests {
    private static let schema = """
        {"type": "object", "properties": {"motd": {"type": "object", "properties": {"text": {"type": "string"}}}},
         "x-cleat-apply": [{"file": "/etc/motd", "escape": "line", "template": "{{motd/text}}\\n"}]}
        """

    @Test("A revert neither writes nor deletes the target of a link that was made while the change was on trial")
    func undo() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(admin: "schema.d/10-motd.json", Self.schema)
            let agent = try await board.start()
            for (id, before) in [("t1", ""), ("t2", "orig\n")] {
                let made = try await board.script(
                    #"mkdir -p "$D/root/etc" && cd "$D/root/etc" && rm -f motd && echo root:x:0:0 >passwd && { [ -z "$1" ] || printf %s "$1" >motd; }"#,
                    [before])
                try #require(made.status == 0, "\(made)")
                let trial = try await board.cleat("set", "motd/text=U", "--confirm", "10m", "--id", id)
                #expect(trial.status == 0, "\(trial)")
                let planted = try await board.script(#"ln -sf passwd "$D/root/etc/motd""#)
                try #require(planted.status == 0, "\(planted)")
                let undone = try await board.cleat("abort", id)
                #expect(undone.status == 0, "\(undone)")
                #expect(try board.directory.read("root/etc/passwd") == "root:x:0:0\n")
                let left = try await board.script(
                    #"cd "$D/root/etc" && ls && [ ! -L motd ] && { [ ! -e motd ] || cat motd; }"#)
                #expect(
                    left.status == 0 && left.output == (before.isEmpty ? "passwd\n" : "motd\npasswd\n" + before),
                    "\(left)")
            }
            #expect(try await agent.status().trial == nil)
        }
    }

    @Test("A file behind a link is restored behind it; if the link leads elsewhere, the release is refused in check")
    func followed() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(admin: "schema.d/10-motd.json", Self.schema)
            _ = try await board.start()
            let made = try await board.script(
                #"cd "$D/root" && mkdir etc run && echo orig >run/motd && echo x >etc/passwd && ln -s ../run/motd etc/motd"#
            )
            try #require(made.status == 0, "\(made)")
            #expect(try await board.cleat("set", "motd/text=U").status == 0)
            #expect(try board.directory.read("root/run/motd") == "U\n")
            #expect(try await board.script(#"ln -sfn passwd "$D/root/etc/motd""#).status == 0)
            for words in [["unset", "--check"], ["unset"], ["unset", "--confirm", "1m"]] {
                let refused = try await board.script(#"exec "$CLEAT" "$@""#, words + ["motd/text"])
                #expect(refused.status == 65, "\(words): \(refused)")
                for word in ["motd/text: needs to restore /etc/motd", "led to “/etc/../run/motd”", "ln -sfn"] {
                    #expect(refused.errorText.contains(word), "\(words): \(refused)")
                }
            }
            #expect(try board.directory.read("root/etc/passwd") == "x\n")
            #expect(try await board.script(#"ln -sfn /run/motd "$D/root/etc/motd""#).status == 0)
            let done = try await board.cleat("unset", "motd/text")
            #expect(done.status == 0, "\(done)")
            #expect(try board.directory.read("root/run/motd") == "orig\n")
            #expect(try board.directory.read("root/etc/passwd") == "x\n")
        }
    }

    @Test(
        "A link of another user is refused in check, plan and set alike, also one that is followed on the way",
        .enabled(if: Machine.isRoot, "needs root, to give a link away"))
    func foreign() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(admin: "schema.d/10-motd.json", Self.schema)
            let agent = try await board.start()
            for script in [
                "mkdir -p etc && ln -s passwd etc/motd && chown -h 1 etc/motd",
                "rm -r etc && mkdir own && ln -s own etc && chown -h 1 etc",
            ] {
                let made = try await board.script(#"cd "$D/root" && "# + script + " && echo root:x:0:0 >etc/passwd")
                try #require(made.status == 0, "\(made)")
                for words in [["set"], ["set", "--check"], ["plan"], ["set", "--confirm", "1m"]] {
                    let refused = try await board.script(#"exec "$CLEAT" "$@""#, words + ["motd/text=U"])
                    #expect(refused.status == 65, "\(words): \(refused)")
                    for word in ["motd/text: ", "/etc/motd", "such a link is not followed", "chown -h"] {
                        #expect(refused.errorText.contains(word), "\(words): \(refused)")
                    }
                }
                #expect(try board.directory.read("root/etc/passwd") == "root:x:0:0\n")
            }
            #expect(try await agent.status().generation == 0)
        }
    }
}
