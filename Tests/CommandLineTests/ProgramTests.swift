import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import Synchronization
import SystemPackage
import Testing

@testable import cleat

/// Tests of the output and the exit status of the real program, with a real server.
@Suite struct ProgramTests {
    private static let get = SettingsInterface.Get.name
    private static let set = SettingsInterface.Set.name

    @Test func getPrintsTheBareValue() async throws {
        try await CannedBoard.serving([
            Self.get: { call in
                #expect(call.parameters == ["path": "system/hostname"])
                return Samples.leaf("pump-7").wire
            }
        ]) { board in
            let quick = try await board.cleat("get", "system/hostname")
            #expect(quick.status == 0)
            #expect(quick.output == "pump-7\n")
            #expect(quick.errorText.isEmpty)
            // The long way gives the same.
            let parsed = try await board.cleat("get", "--output", "text", "system/hostname")
            #expect(parsed.output == "pump-7\n")
            let json = try await board.cleat("--output", "json", "get", "system/hostname")
            #expect(try JSONReader.read(json.output).objectValue?["setting"]?.objectValue?["value"] == "pump-7")
            let named = try await board.cleat(
                "get", "system/hostname", "--socket", board.socket, environment: ["CLEAT_SOCKET": "/nowhere"])
            #expect(named.status == 0)
        }
    }

    @Test(
        arguments: [
            ([], false), (["--output", "text"], false), (["--counters"], nil), (["--output", "json"], nil),
            (["--output", "json-lines"], nil),
        ] as [([String], Bool?)])
    func statusRequestsTheCountersThatItShows(_ options: [String], _ requested: Bool?) async throws {
        try await CannedBoard.serving([
            ServiceInterface.Status.name: { call in
                #expect(call.parameters["counters"]?.boolValue == requested)
                return Samples.status.wire
            }
        ]) { board in
            let result = try await board.cleat(["status"] + options)
            #expect(result.status == 0 && result.output.contains("412") == (requested == nil), "\(result)")
        }
    }

    @Test(arguments: [["status"], ["version"], ["version", "--json"]])
    func anEarlierServiceCannotOmitTheCounters(_ command: [String]) async throws {
        try await CannedBoard.serving([
            ServiceInterface.Status.name: { call in
                guard call.parameters.isEmpty else { throw VarlinkError.invalidParameter("counters") }
                return Samples.status.wire
            }
        ]) { board in
            let result = try await board.cleat(command)
            #expect(result.status == 0 && result.output.contains("0.1.0") && result.errorText.isEmpty, "\(result)")
            #expect(!result.output.contains("cleatd  unknown"), "\(result)")
        }
    }

    @Test(
        arguments: [
            (VarlinkError.methodNotFound("dev.cleat.Events.Power"), ["dev.cleat.Events.Power"]),
            (.methodNotImplemented("dev.cleat.Events.Power"), ["dev.cleat.Events.Power"]),
            (.interfaceNotFound("dev.cleat.Events"), ["dev.cleat.Events"]), (.invalidParameter("read"), ["read"]),
        ] as [(VarlinkError, [String])])
    func anEarlierServiceIsNamedWithTheNextStep(_ error: VarlinkError, _ names: [String]) async throws {
        try await CannedBoard.serving([EventsInterface.Power.name: { _ in throw error }]) { board in
            let text = try await board.cleat("power")
            #expect(text.status == 1 && text.output.isEmpty, "\(text)")
            for word in names + ["the service is older", "install cleatd \(CleatVersion.text) or newer"] {
                #expect(text.errorText.contains(word), "\(text)")
            }
            #expect(!text.errorText.contains("org.varlink"), "\(text)")
            let json = try JSONReader.read(await board.cleat("power", "--output", "json").errorText).objectValue
            #expect(json?["error"] == .string(error.name) && json?["parameters"] == .object(error.parameters))
        }
    }

    @Test func getOfNothing() async throws {
        try await CannedBoard.serving([Self.get: { _ in Samples.leaf(nil, inForce: false).wire }]) { board in
            let result = try await board.cleat("get", "system/hostname")
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            #expect(result.errorText.contains("system/hostname"))
        }
    }

    @Test func setSendsOneTransaction() async throws {
        try await CannedBoard.serving([
            Self.set: { call in
                let parameters = try SettingsInterface.Set.Parameters(wire: call.parameters)
                #expect(
                    parameters.changes == [
                        .init(path: "system/hostname", value: "pump-7"), .init(path: "a/b", value: ["x", 1]),
                        .init(path: "c", value: true),
                    ])
                return SettingsInterface.Set.Reply(
                    id: parameters.id ?? "made", store: "s", generation: 3, state: .confirmed,
                    changes: [.init(path: "system/hostname", old: "board", new: "pump-7")],
                    results: [
                        .init(adapter: "host-name", state: .applied, message: "wrote /etc/hostname"),
                        .init(
                            adapter: "system", state: .notApplied, level: .detail,
                            message: "stored; no adapter follows c"),
                    ]
                ).wire
            }
        ]) { board in
            let changes = ["system/hostname=pump-7", "a/b=['x', 1]", "c=true"]
            let quick = try await board.cleat(["set"] + changes)
            #expect(quick.status == 0)
            #expect(
                quick.output == """
                    system/hostname: board -> pump-7
                    generation 3 (id made)
                    wrote /etc/hostname

                    """)
            let verbose = try await board.cleat(["set", "--verbose"] + changes)
            #expect(verbose.output == quick.output + "stored; no adapter follows c\n")
            let parsed = try await board.cleat(["set", "--id", "x", "--output", "json-lines"] + changes)
            #expect(try JSONReader.read(parsed.output).objectValue?["id"] == "x")
        }
    }

    @Test("A plan's options are sent in its request; a rehearsal that left a difference ends with 11")
    func plans() async throws {
        try await CannedBoard.serving([
            Self.set: { call in
                let parameters = try SettingsInterface.Set.Parameters(wire: call.parameters)
                #expect((parameters.plan == true) != (parameters.rehearse == true))
                #expect(parameters.changes.map(\.path) == ["b", "a"] && parameters.changes.first?.value == nil)
                let differing = parameters.comment == "differs"
                let rehearsed = Samples.rehearsal(differing: differing)
                return (parameters.rehearse == true ? rehearsed : Samples.plan).wire
            },
            SettingsInterface.Rollback.name: { call in
                #expect(call.parameters == ["to": 4, "plan": true])
                return Samples.plan.wire
            },
            SettingsInterface.Reset.name: { call in
                #expect(call.parameters == ["prefix": "a", "rehearse": true])
                return Samples.rehearsal(differing: false).wire
            },
        ]) { board in
            let plan = try await board.cleat("plan", "a=1", "--unset", "b")
            #expect(plan.status == 0, "\(plan)")
            let json = try await board.cleat("plan", "a=1", "--unset", "b", "--output", "json")
            #expect(try JSONReader.read(json.output)["plan"]?["connection"] == "cut", "\(json)")
            #expect(try await board.cleat("plan", "--rehearse", "a=1", "--unset", "b").status == 0)
            let differs = try await board.cleat("plan", "--rehearse", "a=1", "--unset", "b", "--comment", "differs")
            #expect(differs.status == 11 && differs.errorText.isEmpty, "\(differs)")
            #expect(differs.output.contains("its content differs (7 bytes before, 9 now)"), "\(differs)")
            #expect(try await board.cleat("plan", "--rollback", "4").status == 0)
            #expect(try await board.cleat("plan", "--reset", "a", "--rehearse").status == 0)
        }
    }

    /// A host may be named 42: the service says which types there are, and the text is read again.
    @Test func setAsksWhatIsMeant() async throws {
        try await CannedBoard.serving([
            Self.set: { call in
                let parameters = try SettingsInterface.Set.Parameters(wire: call.parameters)
                let problems = parameters.changes.filter {
                    $0.path == "system/hostname" && $0.value?.stringValue == nil
                }
                .map { RefusedChange(path: $0.path, value: $0.value, code: "type", reason: "not a string") }
                guard problems.isEmpty else { throw APIError.invalidValue(problems).varlinkError }
                return SettingsInterface.Set.Reply(
                    id: "i", store: "s", generation: 3, state: .confirmed,
                    changes: parameters.changes.map { .init(path: $0.path, new: $0.value) }
                ).wire
            },
            SettingsInterface.Describe.name: { call in
                #expect(call.parameters == ["prefix": "system/hostname"])
                return SettingsInterface.Describe.Reply(
                    descriptions: [.init(path: "system/hostname", types: ["string"])]
                ).wire
            },
        ]) { board in
            let result = try await board.cleat("set", "--output", "json", "a=7", "system/hostname=42")
            #expect(result.status == 0, "\(result.errorText)")
            let changes = try JSONReader.read(result.output).objectValue?["changes"]?.arrayValue
            #expect(changes?.map { $0.objectValue?["new"] } == [7, "42"])
        }
    }

    @Test(
        arguments: [
            (["set", "a=[1"], 65), (["set", "a=null"], 65), (["set", "a"], 64), (["get"], 64),
            (["set", "--expect", "x", "a=1"], 64),
            (["set", "--expect", "s:", "a=1"], 64), (["set", "--expect", ":1", "a=1"], 64), (["nothing"], 64),
            (["-H", "-x", "get", "a"], 64), (["--socket", "/s", "-H", "h", "get", "a"], 64), (["--version"], 0),
            (["--help"], 0), (["help", "set"], 0), (["get", "--help"], 0), (["get", "a"], 1), (["status"], 1),
            (["completions", "fish"], 0), (["hook", "test", "x", "--property", "y"], 64),
        ] as [([String], Int32)])
    func endsWithItsStatus(_ arguments: [String], _ status: Int32) async throws {
        // A server that implements nothing: what gets that far ends with 1.
        try await CannedBoard.serving([:]) { board in
            let result = try await board.cleat(arguments)
            #expect(result.status == status, "\(result.errorText)")
            #expect(result.errorText.isEmpty == (status == 0))
            #expect(result.output.isEmpty == (status != 0))
        }
    }

    @Test(
        .tags(.fault),
        arguments: [
            (["confrim"], " confirm?"), (["hook", "tset"], " test?"),
            (["-H", "board", "snapshto", "list"], " snapshot?"), (["frobnicate"], "frobnicate"),
            (["set", "a=1", "--confirm", "2"], "2s, 2m or 2h"),
            (["extend", "10"], "10s, 10m or 10h"),
            (["try", "--confirm", "2d", "a=1", "--", "x"], "1s to 1d"),
        ] as [([String], String)])
    func saysWhatIsMeant(_ arguments: [String], _ words: String) async throws {
        try await CannedBoard.serving([:]) { board in
            let result = try await board.cleat(arguments)
            #expect(result.status == 64 && result.errorText.contains(words), "\(result)")
        }
    }

    @Test(
        arguments: [
            (.invalidPath(path: "a", message: "m"), 65), (.unknownSetting(path: "a", message: "m"), 65),
            (.conflict(.init(store: "s", generation: 4), message: "m"), 75), (.permissionDenied(message: "m"), 77),
            (.storeFailed(code: "full", message: "no space left"), 1), (Samples.problems, 65),
        ] as [(APIError, Int32)])
    func reportsTheServicesErrors(_ error: APIError, _ status: Int32) async throws {
        try await CannedBoard.serving([
            Self.get: { _ in throw error.varlinkError }, Self.set: { _ in throw error.varlinkError },
        ]) {
            board in
            for verb in [["get", "a"], ["set", "a=1"]] {
                let text = try await board.cleat(verb)
                #expect(text.status == status)
                #expect(text.errorText.hasPrefix("cleat: "))
                let json = try await board.cleat(verb + ["--output", "json"])
                #expect(json.status == status)
                let object = try #require(try JSONReader.read(json.errorText).objectValue)
                #expect(object["error"] == .string(error.name))
                #expect(object["exit_status"] == .integer(Int64(status)))
                #expect(object["parameters"] == .object(error.parameters))
            }
        }
    }

    @Test func usageAsJSON() async throws {
        try await CannedBoard.serving([:]) { board in
            let result = try await board.cleat("get", "--output", "json")
            #expect(result.status == 64)
            #expect(try JSONReader.read(result.errorText).objectValue?["layer"] == "usage")
        }
    }

    @Test func noService() async throws {
        try await CannedBoard.serving([:]) { board in
            let text = try await board.cleat("get", "a", environment: ["CLEAT_SOCKET": "/nowhere/socket"])
            #expect(text.status == 69)
            #expect(text.errorText.contains("/nowhere/socket: \(Errno.noSuchFileOrDirectory)"))
            // A socket without a listener: the program that listened does not find it under its name.
            let left = board.directory.appending("left")
            let listener = try UnixListener(loop: board.loop, path: left + ".new")
            _ = try await board.script(#"mv "$1.new" "$1""#, [left])
            listener.close()
            let refused = try await board.cleat("get", "a", environment: ["CLEAT_SOCKET": left])
            #expect(refused.status == 69)
            let long = try await board.cleat(
                "get", "a", environment: ["CLEAT_SOCKET": String(repeating: "x", count: 300)])
            #expect(long.status == 69)
        }
    }

    @Test func listTakesEveryPage() async throws {
        try await CannedBoard.serving([
            SettingsInterface.List.name: { call in
                #expect(call.more)
                for number in 0..<40 {
                    let page = (0..<50).map {
                        SettingInfo(path: "a/\(number * 50 + $0)", value: 1, origin: .committed, inForce: true)
                    }
                    try await call.send(
                        SettingsInterface.List.Reply(store: "s", generation: 1, settings: page, next: "x"))
                }
                return SettingsInterface.List.Reply(store: "s", generation: 1, settings: []).wire
            }
        ]) { board in
            let text = try await board.cleat("list")
            #expect(text.output.split(separator: "\n").count == 2001)
            let lines = try await board.cleat("list", "--output", "json-lines")
            #expect(lines.output.split(separator: "\n").count == 2000)
            let json = try JSONReader.read(try await board.cleat("list", "--output", "json").output)
            #expect(json.objectValue?["settings"]?.arrayValue?.count == 2000)
            // What completes in a shell are the same paths.
            let ask = #""$CLEAT" ---completion get -- positional@0 1 5 get a/199 | wc -l"#
            var known = try await board.script(ask)
            // It has a second; where that is not enough on a busy machine, it says nothing rather than a part.
            for _ in 0..<30 where known.output.hasPrefix("0") { known = try await board.script(ask) }
            #expect(known.output.contains("11"), "\(known)")
        }
    }

    private static let storm: CannedBoard.Answer = { call in
        try await call.send(EventsInterface.Subscribe.Reply(instance: "i"))
        try await call.send(EventsInterface.Subscribe.Reply(instance: "i", lost: 5))
        var reply = Samples.event
        while true {
            reply.event?.sequence += 1
            try await call.send(reply)
        }
    }

    @Test func eventsEndAfterACount() async throws {
        try await CannedBoard.serving([EventsInterface.Subscribe.name: Self.storm]) { board in
            let result = try await board.cleat("events", "--count", "3")
            #expect(result.status == 0)
            #expect(result.errorText.isEmpty)
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == 4)
            #expect(lines.first == "(5 events were lost)")
            let json = try await board.cleat("events", "-n", "2", "--output", "json")
            #expect(json.output.split(separator: "\n").count == 3)
        }
    }

    @Test func eventsOfALaterSourceAreSkipped() async throws {
        let answer: CannedBoard.Answer = { call in
            var later = Samples.event.wire
            var event = try #require(later["event"]?.objectValue)
            event["source"] = "moon"
            later["event"] = .object(event)
            try await call.send(VarlinkReply(later))
            return Samples.event.wire
        }
        try await CannedBoard.serving([EventsInterface.Subscribe.name: answer]) { board in
            let result = try await board.cleat("events", "--count", "1", "--output", "json-lines")
            #expect(result.status == 0 && result.errorText.isEmpty, "\(result)")
            #expect(result.output.split(separator: "\n").count == 1 && !result.output.contains("moon"), "\(result)")
        }
    }

    /// The reader may disconnect at any time: that is not a failure, and is not reported.
    @Test func aClosedPipeIsTheEnd() async throws {
        try await CannedBoard.serving([EventsInterface.Subscribe.name: Self.storm]) { board in
            let result = try await board.script(
                #"{ "$CLEAT" events; echo "$?" >"$0.status"; } | head -n 2; cat "$0.status""#
                    .replacing("$0.status", with: board.directory.appending("status")))
            #expect(result.output.split(separator: "\n").count == 3)
            #expect(result.output.hasSuffix("\n0\n"))
            #expect(result.errorText.isEmpty)
        }
    }

    @Test func eachLineIsWrittenAtOnce() async throws {
        // The service sends one event and then nothing more; the line must be there all the same.
        try await CannedBoard.serving([
            EventsInterface.Subscribe.name: { call in
                try await call.send(EventsInterface.Subscribe.Reply(instance: "i"))
                try await call.send(Samples.event)
                try await untilCancelled()
            }
        ]) { board in
            let result = try await board.script(
                """
                mkfifo "$1"
                { read -r line; printf "%s\\n" "$line"; kill -INT "$(cat "$1.pid")"; } <"$1" &
                # In the foreground, where the shell leaves the signal alone.
                sh -c 'echo $$ >"$1.pid"; exec "$CLEAT" events --output json-lines >"$1"' sh "$1" || echo $?
                wait
                """, [board.directory.appending("fifo")])
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 2)
            #expect(try JSONReader.read(lines.first ?? "").objectValue?["event"] != nil)
            #expect(lines.last == "130")
            #expect(result.errorText.isEmpty, "\(result.errorText)")
        }
    }

    @Test func watchShowsChangesAndLosses() async throws {
        try await CannedBoard.serving([
            SettingsInterface.Watch.name: { call in
                #expect(call.parameters == ["prefixes": ["a", "b"]])
                let setting = SettingInfo(path: "a/x", value: 1, origin: .committed, inForce: true)
                try await call.send(
                    SettingsInterface.Watch.Reply(store: "s", generation: 1, initial: true, settings: [setting])
                )
                try await call.send(
                    SettingsInterface.Watch.Reply(
                        store: "s", generation: 2, initial: false, removed: ["a/x"], lost: 4
                    ))
                throw APIError.tooSlow(lost: 4, message: "too slow").varlinkError
            }
        ]) { board in
            let all = try await board.cleat("watch", "a", "b")
            #expect(all.output == "#1 a/x = 1\n(4 commits were lost; the present state follows)\n#2 a/x unset\n")
            #expect(all.status == 1)
            let news = try await board.cleat("watch", "a", "b", "--no-initial", "-n", "1")
            #expect(news.output == "(4 commits were lost; the present state follows)\n#2 a/x unset\n")
            #expect(news.status == 0)
        }
    }

    @Test func aFailedHookIsAFailure() async throws {
        try await CannedBoard.serving([
            HooksInterface.Run.name: { call in
                #expect(call.parameters["properties"] == ["A": "1", "B": "x=y"])
                return HooksInterface.Run.Reply(
                    matches: true, event: "link up eth0", clauses: [], run: Samples.run
                ).wire
            }
        ]) { board in
            let result = try await board.cleat("hook", "run", "x", "--property", "B=x=y", "--property", "A=1")
            #expect(result.status == 1)
            #expect(result.output.hasPrefix("exit 3 after 1204 ms"))
            let json = try await board.cleat(
                "hook", "run", "x", "--property", "B=x=y", "--property", "A=1", "--output", "json")
            #expect(json.status == 1 && json.error == ["HookFailed", "apply"], "\(json)")
        }
    }

    @Test func expectFindsTheStore() async throws {
        try await CannedBoard.serving([
            SettingsInterface.Log.name: { _ in
                SettingsInterface.Log.Reply(store: "5e1f", generations: []).wire
            },
            Self.set: { call in
                #expect(call.parameters["expect"] == ["store": "5e1f", "generation": 7])
                #expect(call.parameters["changes"] == [["path": "a"]])
                throw APIError.conflict(.init(store: "5e1f", generation: 9), message: "it is 9 now").varlinkError
            },
        ]) { board in
            for expected in ["7", "5e1f:7"] {
                let result = try await board.cleat("unset", "a", "--expect", expected)
                #expect(result.status == 75, "\(result.errorText)")
            }
        }
    }

    /// The peer on the socket may be any program.
    @Test func aStrangerAnswers() async throws {
        try await CannedBoard.serving([:]) { board in
            for (answer, status) in [("HTTP/1.1 400 Bad Request\r\n\r\n\0", 1), ("{}\0", 1), ("", 69)]
                as [(String, Int32)]
            {
                let listener = try UnixListener(
                    loop: board.loop, path: board.directory.appending("s\(status)\(answer.count)"))
                let stranger = board.loop.task {
                    let client = try await listener.accept()
                    defer { client.close() }
                    _ = try await client.read()
                    try await client.write(Array(answer.utf8))
                }
                let result = try await board.cleat("get", "a", environment: ["CLEAT_SOCKET": listener.address.path])
                #expect(result.status == status, "\(result.errorText)")
                try await stranger.value
                listener.close()
            }
        }
    }
}

extension String {
    fileprivate func replacing(_ piece: String, with other: String) -> String {
        var result = ""
        var rest = self[...]
        while let range = rest.firstRange(of: piece) {
            result += rest[..<range.lowerBound] + other
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
