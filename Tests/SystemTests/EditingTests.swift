import CleatAPI
import CleatJSON
import CleatTestSupport
import Testing

/// Two who change settings at once, with the real programs.
@Suite("Editing, end to end", .serialized)
struct EditingEndToEndTests {
    @Test("The second of two editors is told what changed beneath it, and loses nothing")
    func twoEditors() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "first", "network/interfaces/eth0/mtu": 1_400])
            let editor = try board.write(
                program: "editor",
                #""$CLEAT" set system/hostname=theirs --comment beneath >/dev/null && sed -i 's/1400/1500/' "$1""#)
            let told = try await board.cleat(
                "edit", environment: ["EDITOR": editor, "TMPDIR": board.directory.text])
            #expect(told.status == 75, "\(told)")
            #expect(told.complaints.contains("system/hostname: first -> theirs"), "\(told)")
            #expect(told.complaints.contains("beneath"), "\(told)")
            #expect(try await agent.get("system/hostname") == "theirs")
            #expect(try await agent.get("network/interfaces/eth0/mtu") == 1_400)
            // What the person wrote is kept, and is applied without touching what the other one did below it.
            let kept = try await board.script(#"cat "$D"/cleat-edit-*/settings.json5"#)
            #expect(kept.output.contains("mtu: 1500"), "\(kept)")
            let quiet = try board.write(program: "quiet", #"sed -i 's/1400/1500/' "$1""#)
            let done = try await board.cleat(
                "edit", "network", environment: ["VISUAL": quiet, "EDITOR": "false", "TMPDIR": board.directory.text])
            #expect(done.status == 0, "\(done)")
            #expect(done.output.hasPrefix("network/interfaces/eth0/mtu: 1400 -> 1500\n"), "\(done)")
        }
    }

    @Test("What is exported changes nothing when it is applied")
    func exportAndApply() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set([
                "system/hostname": "pump-7", "network/interfaces/eth0.100/mtu": 1_400,
                "network/interfaces/eth1": [:], "time/ntp/servers": ["a.example"],
            ])
            for (arguments, whole) in [
                ([], ""), (["--format", "json"], ""), (["network"], "--prefix network"),
            ] as [([String], String)] {
                let result = try await board.script(
                    #""$CLEAT" export "$@" >$D/f && "$CLEAT" apply $D/f && "$CLEAT" apply --replace $WHOLE $D/f"#,
                    arguments, environment: ["WHOLE": whole])
                #expect(result.status == 0, "\(result)")
                #expect(result.output == "nothing changed\nnothing changed\n", "\(result)")
            }
        }
    }

    @Test("Merges that run at once lose nothing")
    func applyAtOnce() async throws {
        try await Board.with { board in
            _ = try await board.start()
            let result = try await board.script(
                """
                for i in 1 2 3 4; do
                    echo "{ network: { interfaces: { eth$i: { mtu: 140$i } } } }" | "$CLEAT" apply - >/dev/null &
                    pids="$pids $!"
                done
                for p in $pids; do wait $p || echo failed; done
                "$CLEAT" export --format json
                """)
            let value = try JSONReader.read(result.output)
            for number in 1...4 {
                #expect(
                    value["network"]?["interfaces"]?["eth\(number)"]?["mtu"] == .integer(Int64(1400 + number)),
                    "\(result)")
            }
        }
    }
}
