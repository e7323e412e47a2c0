import CleatTestSupport
import Testing

/// Files whose directories have gone, with the real programs.
@Suite("Missing directories, end to end", .serialized)
struct MissingDirectoryTests {
    private static let schema = """
        {"type": "object", "properties": {"m": {"type": "object", "properties": {"a": {"type": "string"}}}},
         "x-cleat-apply": [{"file": "/srv/x/f", "escape": "line", "template": "{{m/a}}\\n"}]}
        """

    @Test("A restore into a missing directory is refused in check; a file that did not exist before is released")
    func lettingGo() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(admin: "schema.d/10-m.json", Self.schema)
            _ = try await board.start()
            for before in ["own\n", ""] {
                let made = try await board.script(
                    #"mkdir -p "$D/root/srv/x" && cd "$D/root/srv/x" && { [ -z "$1" ] || printf %s "$1" >f; }"#,
                    [before])
                try #require(made.status == 0, "\(made)")
                #expect(try await board.cleat("set", "m/a=1").status == 0)
                #expect(try await board.script(#"rm -r "$D/root/srv/x""#).status == 0)
                if !before.isEmpty {
                    for words in [["unset", "--check"], ["unset"], ["unset", "--confirm", "1m"]] {
                        let refused = try await board.script(#"exec "$CLEAT" "$@""#, words + ["m/a"])
                        #expect(refused.status == 65, "\(words): \(refused)")
                        #expect(["m/a: ", "/srv/x/f"].allSatisfy(refused.errorText.contains), "\(refused)")
                    }
                    #expect(try await board.script(#"mkdir "$D/root/srv/x""#).status == 0)
                }
                for words in [["unset", "--check"], ["unset"]] {
                    let done = try await board.script(#"exec "$CLEAT" "$@""#, words + ["m/a"])
                    #expect(done.status == 0, "\(words): \(done)")
                }
                if before.isEmpty {
                    #expect(try await board.script(#"[ ! -e "$D/root/srv/x" ]"#).status == 0)
                } else {
                    #expect(try board.directory.read("root/srv/x/f") == before)
                    #expect(try await board.script(#"rm -r "$D/root/srv/x""#).status == 0)
                }
            }
        }
    }

    @Test("A link into a missing directory is refused in check, also of a file whose own directory is made")
    func behindLinks() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let made = try await board.script(
                #"mkdir -p "$D/root/etc" && ln -s ../nowhere/name "$D/root/etc/hostname""#)
            try #require(made.status == 0, "\(made)")
            for words in [["set"], ["set", "--check"], ["plan"], ["set", "--confirm", "1m"]] {
                let refused = try await board.script(#"exec "$CLEAT" "$@""#, words + ["system/hostname=x"])
                #expect(refused.status == 65, "\(words): \(refused)")
                for word in ["system/hostname: needs /etc/hostname", "/nowhere/name, whose directory does not exist"] {
                    #expect(refused.errorText.contains(word), "\(words): \(refused)")
                }
            }
            #expect(try await board.script(#"mkdir "$D/root/nowhere""#).status == 0)
            #expect(try await board.cleat("set", "system/hostname=x").status == 0)
            #expect(try board.directory.read("root/nowhere/name") == "x\n")
        }
    }
}
