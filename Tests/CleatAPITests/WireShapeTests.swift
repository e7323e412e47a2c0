import CleatAPI
import CleatJSON
import CleatSettings
import CleatVarlink
import Testing

private func object(_ value: some Encodable) throws -> JSONObject {
    try #require(try JSONValue(encoding: value).objectValue)
}

/// Checks that what goes each way fits the description, comes back the same, and has its keys in the declared order.
private func check<Method: APIMethod>(
    _ method: Method.Type, in text: String, _ parameters: [Method.Parameters], _ replies: [Method.Reply],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let interface = try InterfaceDescription(text)
    let short = String(Method.name.dropFirst(interface.name.count + 1))
    let declaration = try #require(interface.methods[short], sourceLocation: sourceLocation)
    for value in parameters {
        let json = try object(value)
        #expect(interface.validate(json, of: short) == nil, sourceLocation: sourceLocation)
        #expect(try JSONValue.object(json).decode(Method.Parameters.self) == value, sourceLocation: sourceLocation)
        expectOrder(json, declaration.parameters.map(\.name), sourceLocation)
    }
    for value in parameters {
        guard let value = value as? any WireValue & Encodable else { continue }
        try checkWire(value, sourceLocation)
    }
    for value in replies {
        guard let value = value as? any WireValue & Encodable else { continue }
        try checkWire(value, sourceLocation)
    }
    for value in replies {
        let json = try object(value)
        #expect(interface.mismatch(reply: json, of: short) == nil, sourceLocation: sourceLocation)
        // Through the text, too: that is what travels.
        let text = JSONWriter.write(.object(json), style: .compact)
        #expect(try JSONReader.read(text).decode(Method.Reply.self) == value, sourceLocation: sourceLocation)
        expectOrder(json, declaration.reply.map(\.name), sourceLocation)
    }
}

/// What is written out by hand is what the bridge gives, order included, and is read back.
private func checkWire(_ value: some WireValue & Encodable, _ sourceLocation: SourceLocation) throws {
    let written = JSONWriter.write(.object(value.wire), style: .compact)
    let bridged = JSONWriter.write(try JSONValue(encoding: value), style: .compact)
    #expect(written == bridged, sourceLocation: sourceLocation)
    let read = try type(of: value).init(wire: value.wire)
    #expect(JSONWriter.write(.object(read.wire), style: .compact) == written, sourceLocation: sourceLocation)
    // Without any one of its members it is refused or still whole, never a crash.
    for key in value.wire.keys {
        var less = value.wire
        less[key] = nil
        if let partial = try? type(of: value).init(wire: less) { #expect(partial.wire == less) }
        less[key] = .array([.bool(true)])
        if let odd = try? type(of: value).init(wire: less) { #expect(odd.wire == less) }
    }
}

private func expectOrder(_ json: JSONObject, _ fields: [String], _ sourceLocation: SourceLocation) {
    let keys = Array(json.keys)
    #expect(keys == fields.filter { keys.contains($0) }, sourceLocation: sourceLocation)
}

@Suite struct WireShapeTests {
    private let setting = SettingInfo(
        path: "network/interfaces/eth0/mtu", value: 1400, origin: .committed, inForce: true, inactive: nil)
    private let bare = SettingInfo(path: "display/splash", origin: .schemaDefault, inForce: false)
    private let locked = SettingInfo(
        path: "a", origin: .factory, inForce: true, secret: true, lock: .factory, pending: "t")
    private let probes = ProbeReport.State.allCases.map {
        ProbeReport(probe: "link:a", state: $0, message: $0 == .waiting ? nil : "m")
    }
    private let record = ChangeRecord(path: "system/hostname", old: "board", new: ["a": [1, 2.5, .null]])
    private let beside = ChangeRecord(
        path: "a", old: 1, inForce: SettingInfo(path: "a", value: 2, origin: .vendor, inForce: true),
        before: SettingInfo(path: "a", value: 3, origin: .factory, inForce: true))
    private let event = Event(
        sequence: 7, source: .device, action: "add", subject: "/devices/x", properties: ["Z": "1", "A": "2", "ä": "3"],
        time: "2026-01-02T03:04:05.678Z", bootID: "b", bootTime: 12, synchronised: true, cause: "c", restored: true)

    @Test func settings() throws {
        let text = SettingsInterface.idl
        try check(
            SettingsInterface.Get.self, in: text,
            [.init(path: "a/b"), .init(path: "a", reveal: true), .init(path: "a", asksForDefault: true)],
            [
                .init(store: "s", generation: 4, leaf: true, setting: locked),
                .init(store: "s", generation: 4, leaf: true, setting: setting),
                .init(store: "s", generation: 4, leaf: false, setting: bare, note: "n"),
            ])
        try check(
            SettingsInterface.List.self, in: text, [.init(), .init(prefix: "a", defaults: true, after: "a/b")],
            [.init(store: "s", generation: .max, settings: [setting, bare], next: "x", note: "n")])
        try check(
            SettingsInterface.Describe.self, in: text, [.init(), .init(prefix: "a")],
            [
                .init(descriptions: [
                    .init(path: "a", types: ["string"]),
                    .init(
                        path: "b", types: ["integer", "null"], title: "t", description: "d", default: 4,
                        constraints: ["minimum": 68]),
                ]),
                .init(descriptions: [], groups: [.init(path: "a"), .init(path: "b", title: "t", description: "d")]),
            ])
        try check(
            SettingsInterface.Set.self, in: text,
            [
                .init(changes: []),
                .init(
                    changes: [.init(path: "a", value: 1), .init(path: "b")], id: "i",
                    expect: .init(store: "s", generation: 2), comment: "c"),
                .init(
                    changes: RequestedChange.Operation.allCases.map { .init(path: "a", value: 1, operation: $0) },
                    volatile: true, check: false, confirm: 4, plan: true, rehearse: false, until: ["link:a", "b"],
                    uploads: ["u", "v"]),
            ],
            [
                .init(
                    id: "i", store: "s", generation: 1, state: .checked, changes: [],
                    plan: .init(
                        steps: PlannedStep.Action.allCases.map {
                            .init(
                                adapter: "a", kind: "file", resource: "/f", action: $0, before: "b", after: "c",
                                diff: "@@\n", note: "n")
                        } + [.init(adapter: "a", kind: "k", resource: "r", action: .create)],
                        actions: PlannedAction.Kind.allCases.map {
                            .init(adapter: "a", kind: $0, title: "t", service: "s", program: "/p", note: "n")
                        } + [.init(adapter: "a", kind: .command, title: "t")],
                        links: ["eth0"], connection: .cut, reason: "r", notes: ["n"], omitted: 4,
                        reach: .init(link: "l", address: "a", old: ["a", "b"], new: []))),
                .init(
                    id: "i", store: "s", generation: 3, state: .reverted, changes: [],
                    plan: .init(connection: .kept, reason: "r"),
                    rehearsal: RehearsedStep.State.allCases.map {
                        .init(adapter: "a", kind: "file", resource: "/f", state: $0, message: "m")
                    }),
            ]
                + CommitState.allCases.map {
                    .init(
                        id: "i", store: "s", generation: 1, state: $0, changes: [record, beside],
                        results: AdapterResult.State.allCases.map { .init(adapter: "a", state: $0, message: "m") },
                        omitted: $0 == .confirmed ? 3 : nil, volatile: $0 == .confirmed ? true : nil,
                        window: $0 == .pending ? 9 : nil, probes: $0 == .pending ? probes : nil)
                })
        try check(
            SettingsInterface.Watch.self, in: text, [.init(), .init(prefixes: ["a", "b"])],
            [.init(store: "s", generation: 1, initial: true, settings: [setting], removed: ["x"], lost: 4)])
        let generation = Generation(
            number: 9, id: "i", time: "t", bootID: "b", bootTime: 5, synchronised: false, author: "root",
            comment: "c", changes: [record])
        let others = Generation.State.allCases.map { state in
            var other = generation
            other.state = state
            return other
        }
        var told = generation
        told.results = AdapterResult.State.allCases.map { .init(adapter: "a", state: $0, message: "m") }
        try check(
            SettingsInterface.Log.self, in: text, [.init(), .init(before: 9, limit: 3)],
            [.init(store: "s", generations: [generation] + others + [told], next: 3)])
        try check(
            SettingsInterface.Diff.self, in: text, [.init(), .init(from: 1, to: 2)],
            [.init(store: "s", from: 1, to: 2, changes: [record])])
    }

    @Test func layers() throws {
        let text = SettingsInterface.idl
        let layers = SettingLayer.allCases.map {
            LayerInfo(
                layer: $0, value: 1, inForce: $0 == .factory, ignored: "r", file: "f", generation: 3, author: "a",
                time: "t", comment: "c")
        }
        try check(
            SettingsInterface.Why.self, in: text, [.init(path: "a"), .init(path: "a", reveal: true)],
            [
                .init(store: "s", generation: 1, setting: bare, layers: []),
                .init(
                    store: "s", generation: 1, setting: setting, layers: layers,
                    lock: .init(path: "a", layer: .vendor, file: "f", reason: "r"), unset: .init(layer: .factory)),
            ])
        try check(
            SettingsInterface.Reset.self, in: text,
            [
                .init(), .init(plan: true, rehearse: true),
                .init(
                    prefix: "a", id: "i", expect: .init(store: "s", generation: 2), comment: "c", confirm: 5,
                    until: ["u"]),
            ],
            [.init(id: "i", store: "s", generation: 1, state: .confirmed, changes: [record])])
        try check(
            SettingsInterface.Rollback.self, in: text,
            [
                .init(),
                .init(
                    to: 0, id: "i", expect: .init(store: "s", generation: 2), comment: "c", check: true, confirm: 5,
                    until: []),
                .init(plan: true, rehearse: true),
            ],
            [.init(id: "i", store: "s", generation: 1, state: .checked, changes: [record])])
        try check(
            SettingsInterface.Schema.self, in: text, [.init(), .init(offset: 4)],
            [.init(text: "{}", next: 9, digest: "d"), .init(text: "", digest: "d")])
        try check(
            SettingsInterface.Doctor.self, in: text, [.init()],
            [
                .init(
                    findings: DoctorFinding.Kind.allCases.map {
                        .init(kind: $0, subject: "s", message: "m", remedy: "r", line: 1, column: 2)
                    }, omitted: 3)
            ])
    }

    @Test func events() throws {
        let text = EventsInterface.idl
        var every = EventSource.allCases.map { source in
            var event = event
            event.source = source
            return EventsInterface.Subscribe.Reply(instance: "i", event: event)
        }
        every.append(.init(instance: "i", lost: 3))
        try check(
            EventsInterface.Subscribe.self, in: text,
            [.init(), .init(sources: ["link"], action: "*", subject: "eth*", instance: "i", after: 4)], every)
        try check(
            EventsInterface.Devices.self, in: text, [.init(), .init(subsystem: "net", after: "/devices/x")],
            [
                .init(
                    devices: [
                        .init(devpath: "/devices/x", subsystem: "net", name: "eth0"),
                        .init(
                            devpath: "/devices/y", subsystem: "block", devtype: "disk", name: "sda", node: "/dev/sda",
                            driver: "sd", properties: ["A": "b"]),
                    ], next: "/devices/y")
            ])
        try check(
            EventsInterface.Links.self, in: text, [.init()],
            [
                .init(links: [
                    .init(
                        index: 2, name: "eth0", kind: "veth", type: "ether", address: "02:00:00:00:00:01",
                        state: "up", carrier: true, up: true, mtu: 1500, addresses: ["192.0.2.7/24"])
                ])
            ])
    }

    @Test func hooks() throws {
        let text = HooksInterface.idl
        let runs = HookRun.Status.allCases.map {
            HookRun(time: "t", event: "e", duration: 5, status: $0, code: 1, output: "o", outputBytes: 100)
        }
        let hooks = runs.map {
            HookInfo(
                name: "n", file: "f", match: .init(source: "device", properties: ["B": "1", "A": "2"]),
                run: ["/bin/true"], timeout: 30_000, runs: 1, failures: 2, suppressed: 3, last: $0)
        }
        var confined = hooks[0]
        confined.sandbox = .init(writePaths: ["/run/a", "/run/b"], required: true, enforced: false)
        try check(
            HooksInterface.List.self, in: text, [.init()],
            [.init(hooks: hooks + [confined], problems: [.init(file: "f", line: 1, column: 2, message: "m")])])
        let asked: [HooksInterface.MadeUpEvent] = [
            .init(name: "n"),
            .init(name: "n", source: "link", action: "up", subject: "eth0", properties: ["B": "1", "A": "2"]),
        ]
        let clauses = [
            HookClause(name: "action", pattern: "up", value: "up", matches: true),
            HookClause(name: "properties.A", pattern: "*", matches: false),
        ]
        try check(
            HooksInterface.Test.self, in: text, asked,
            [nil, "why"].map {
                .init(
                    matches: false, event: "link up eth0", clauses: clauses, command: ["/bin/true", "x"],
                    environment: ["B": "1", "A": "2"], refused: $0)
            })
        try check(
            HooksInterface.Run.self, in: text, asked + [.init(name: "n", force: true)],
            runs.map { .init(matches: true, event: "link up eth0", clauses: clauses, run: $0) })
    }

    private static let entries = FileInfo.Kind.allCases.map {
        FileInfo(path: "a/b", type: $0, size: .max, mode: "0640", uid: 1, gid: 2, links: 3, modified: "t")
    }

    @Test func files() throws {
        let text = FilesInterface.idl
        try check(
            FilesInterface.Areas.self, in: text, [.init()],
            [
                .init(areas: [
                    .init(
                        name: "inbox", bytes: 1, files: 2, quotaBytes: 3, quotaFiles: 4, freeBytes: 5, uploads: 6),
                    .init(name: "library", problem: "p"),
                ])
            ])
        try check(
            FilesInterface.List.self, in: text,
            [.init(area: "inbox"), .init(area: "inbox", path: "a", recursive: true, after: "a/b", limit: 5)],
            [.init(entries: Self.entries, skipped: 2, next: "a/b"), .init(entries: [])])
        try check(
            FilesInterface.Stat.self, in: text, [.init(area: "inbox", path: "a")],
            Self.entries.map { .init(entry: $0, token: "t") })
        try check(
            FilesInterface.Read.self, in: text,
            [
                .init(area: "inbox", path: "a", offset: 0),
                .init(area: "inbox", path: "a", offset: .max, length: 5, token: "t"),
            ], [.init(data: "AAAA", size: 3, token: "t")])
        try check(
            FilesInterface.Hash.self, in: text,
            [.init(area: "inbox", path: "a"), .init(area: "inbox", path: "a", token: "t")],
            [.init(sha256: "aa", size: 3, token: "t")])
    }

    @Test func fileChanges() throws {
        let text = FilesInterface.idl
        try check(
            FilesInterface.Begin.self, in: text,
            [.init(id: "i", area: "inbox", path: "a", size: 3, sha256: "aa")], [.init(offset: .max)])
        try check(
            FilesInterface.Write.self, in: text, [.init(id: "i", offset: 0, data: "AAAA")], [.init(offset: 3)])
        try check(
            FilesInterface.Commit.self, in: text, [.init(id: "i"), .init(id: "i", mode: "0600")],
            Self.entries.map { .init(entry: $0) })
        try check(FilesInterface.Abort.self, in: text, [.init(id: "i")], [.init()])
        try check(
            FilesInterface.Uploads.self, in: text, [.init()],
            [
                .init(uploads: [
                    .init(id: "i", user: 1000, area: "inbox", path: "a", size: 3, received: 2, expiresIn: 86_400_000)
                ])
            ])
        try check(
            FilesInterface.Remove.self, in: text,
            [.init(area: "inbox", path: "a"), .init(area: "inbox", path: "a", recursive: true)], [.init()])
        let transfers = [nil, true].map {
            FilesInterface.Transfer(area: "inbox", path: "a", toArea: "library", toPath: "b", replace: $0)
        }
        let results = Self.entries.map { FilesInterface.Result(entry: $0) }
        try check(FilesInterface.Move.self, in: text, transfers, results)
        try check(FilesInterface.Copy.self, in: text, transfers, results)
        try check(
            FilesInterface.MakeDirectory.self, in: text,
            [.init(area: "inbox", path: "a"), .init(area: "inbox", path: "a", parents: true)], results)
    }

    @Test func status() throws {
        try check(
            ServiceInterface.Status.self, in: ServiceInterface.idl, [.init()],
            [
                .init(
                    version: "v", instance: "i", pid: 1, uid: 0, started: "t", uptime: 5, store: "s", generation: 1,
                    stateDirectory: "/var/lib/cleat", root: "/r", settings: 3, inactive: ["a"],
                    deviceSource: "netlink", connections: 1, memoryPrivate: 1, memoryPSS: 2, threads: 2, hooks: 1,
                    hookProblems: 1, configProblem: "c", storeNotes: ["n"], applying: false,
                    counters: [.init(name: "c", value: 1)], landlockABI: 7, inbox: "i",
                    inboxProblem: "p", fileProblems: ["f"],
                    trial: .init(
                        id: "i", owner: "o", generation: 2, phase: .awaitingConfirm, remaining: 3, failures: ["f"]),
                    probes: ["a"],
                    probeProblems: ["p"])
            ])
    }

    @Test func transactions() throws {
        let text = TransactionsInterface.idl
        let trials = Trial.Phase.allCases.map {
            Trial(
                id: "i", store: "s", generation: 2, owner: "o", comment: "c", began: "t", phase: $0, window: 5,
                remaining: 4, changes: [record], omitted: 1, failures: ["f"], probes: probes)
        }
        let bare = Trial(id: "i", store: "s", generation: 2, owner: "o", began: "t", phase: .armed)
        try check(
            TransactionsInterface.Pending.self, in: text, [.init()],
            [.init(), .init(trial: bare, reach: .init(link: "l", address: "a", old: [], new: ["b"]))]
                + (trials + [bare]).map { .init(trial: $0) })
        try check(
            TransactionsInterface.Extend.self, in: text, [.init(id: "i", window: 5)], [.init(trial: bare)])
        let ends = TransactionsInterface.End.State.allCases.map {
            TransactionsInterface.End(
                id: "i", store: "s", generation: 3, state: $0,
                results: [.init(adapter: "a", state: .applied, message: "m")], reason: $0 == .reverted ? "r" : nil)
        }
        try check(TransactionsInterface.Wait.self, in: text, [.init(id: "i")], ends)
        try check(TransactionsInterface.Confirm.self, in: text, [.init(id: "i")], ends)
        try check(TransactionsInterface.Abort.self, in: text, [.init(id: "i")], ends)
    }

    @Test func snapshots() throws {
        let text = SnapshotsInterface.idl
        let full = SnapshotInfo(
            name: "n", store: "s", generation: 2, time: "t", synchronised: true, author: "a", comment: "c", settings: 3,
            resources: 4, bytes: 5, ownBytes: 6, damage: "d")
        let bare = SnapshotInfo(
            name: "n", store: "s", generation: 2, time: "t", synchronised: false, author: "a", settings: 3,
            resources: 4, bytes: 5, ownBytes: 6)
        try check(
            SnapshotsInterface.Create.self, in: text, [.init(name: "n"), .init(name: "n", comment: "c")],
            [.init(snapshot: full), .init(snapshot: bare)])
        try check(
            SnapshotsInterface.List.self, in: text, [.init()],
            [.init(snapshots: [full, bare], bytes: 7, limit: 8, limitBytes: 9)])
        try check(
            SnapshotsInterface.Show.self, in: text, [.init(name: "n"), .init(name: "n", offset: 5)],
            [
                .init(
                    snapshot: bare, settings: [.init(path: "a", value: 1), .init(path: "b")],
                    resources: [
                        .init(resource: "r", adapter: "a", size: 1, sha256: "h", secret: false),
                        .init(resource: "r", adapter: "a", size: 0, secret: true),
                    ], next: 3), .init(snapshot: bare, settings: [], resources: []),
            ])
        try check(
            SnapshotsInterface.Diff.self, in: text, [.init(name: "n"), .init(name: "n", other: "o")],
            [
                .init(
                    changes: [.init(path: "a", old: 1, new: 2)], omitted: 1,
                    resources: ResourceDifference.Kind.allCases.map { .init(resource: "r", kind: $0) })
            ])
        let commit = SettingsInterface.Set.Reply(
            id: "i", store: "s", generation: 3, state: .confirmed, changes: [.init(path: "a", new: 2)],
            results: [.init(adapter: "a", state: .applied, message: "m")])
        try check(
            SnapshotsInterface.Restore.self, in: text,
            [
                .init(name: "n"),
                .init(
                    name: "n", files: true, id: "i", expect: .init(store: "s", generation: 1), comment: "c",
                    check: true,
                    confirm: 5000, until: ["u"]),
            ], [.init(change: commit, differing: ["r"], kept: 1), .init(change: commit, differing: [])])
        try check(SnapshotsInterface.Delete.self, in: text, [.init(name: "n")], [.init(freed: 1)])
        try check(
            SnapshotsInterface.Export.self, in: text, [.init(name: "n")],
            [.init(text: "t"), .init(text: "t", omitted: ["o"])])
        try check(
            SnapshotsInterface.Import.self, in: text,
            [.init(area: "a", path: "p"), .init(area: "a", path: "p", name: "n")], [.init(snapshot: bare)])
    }

    @Test func system() throws {
        let text = SystemInterface.idl
        let results = [AdapterResult(adapter: "a", state: .failed, message: "m")]
        let drift = DriftInfo.State.allCases.map {
            DriftInfo(
                name: "n", state: $0, adapter: "a", setting: "s/t", value: 1, message: "m", remedy: "r")
        }
        let bare = DriftInfo(name: "n", state: .missing, adapter: "a", message: "m", remedy: "r")
        try check(
            SystemInterface.Drift.self, in: text, [.init()],
            [.init(drift: []), .init(drift: drift + [bare], failures: results)])
        try check(
            SystemInterface.Reapply.self, in: text,
            [.init(), .init(names: ["n"], id: "i", comment: "c", confirm: 5, until: ["link:a"])],
            [.init(results: results, drift: [bare])]
                + CommitState.allCases.map {
                    .init(
                        results: results, drift: [], id: "i", store: "s", generation: 2, state: $0, window: 5,
                        probes: probes)
                })
        try check(
            SystemInterface.Adopt.self, in: text,
            [.init(), .init(names: ["n"], asIs: true, id: "i", comment: "c", confirm: 5, until: ["link:a"])],
            [
                .init(
                    store: "s", generation: 2, changes: [.init(path: "p", old: 1, new: 2)], left: ["n"],
                    results: results, drift: [bare]),
                .init(
                    store: "s", generation: 2, changes: [], left: [], results: [], drift: [], id: "i", state: .pending,
                    window: 5, probes: probes),
            ])
    }

    @Test func absentIsLeftOut() throws {
        let json = JSONWriter.write(try JSONValue(encoding: bare), style: .compact)
        #expect(json == #"{"path":"display/splash","origin":"schema_default","in_force":false}"#)
    }

    @Test func propertiesAreSorted() throws {
        let text = JSONWriter.write(try JSONValue(encoding: event), style: .compact)
        #expect(text.contains(#""properties":{"A":"2","Z":"1","ä":"3"}"#), "\(text)")
    }

    @Test func everyMethodHasItsType() throws {
        let known = [
            SettingsInterface.Get.name, SettingsInterface.List.name, SettingsInterface.Describe.name,
            SettingsInterface.Set.name, SettingsInterface.Watch.name, SettingsInterface.Log.name,
            SettingsInterface.Why.name, SettingsInterface.Reset.name, SettingsInterface.Rollback.name,
            SettingsInterface.Schema.name,
            SettingsInterface.Doctor.name,
            SettingsInterface.Diff.name, EventsInterface.Subscribe.name, EventsInterface.Devices.name,
            EventsInterface.Links.name, HooksInterface.List.name, HooksInterface.Test.name,
            HooksInterface.Run.name,
            FilesInterface.Areas.name, FilesInterface.List.name, FilesInterface.Stat.name, FilesInterface.Read.name,
            FilesInterface.Hash.name, FilesInterface.Begin.name, FilesInterface.Write.name, FilesInterface.Commit.name,
            FilesInterface.Abort.name, FilesInterface.Uploads.name, FilesInterface.Remove.name,
            FilesInterface.Move.name, FilesInterface.Copy.name, FilesInterface.MakeDirectory.name,
            ServiceInterface.Status.name, TransactionsInterface.Pending.name, TransactionsInterface.Confirm.name,
            TransactionsInterface.Abort.name, TransactionsInterface.Extend.name, TransactionsInterface.Wait.name,
            SnapshotsInterface.Create.name,
            SnapshotsInterface.List.name, SnapshotsInterface.Show.name, SnapshotsInterface.Diff.name,
            SnapshotsInterface.Restore.name, SnapshotsInterface.Delete.name, SnapshotsInterface.Export.name,
            SnapshotsInterface.Import.name,
            SystemInterface.Drift.name, SystemInterface.Reapply.name, SystemInterface.Adopt.name,
        ]
        var declared: Set<String> = []
        for text in [
            SettingsInterface.idl, EventsInterface.idl, HooksInterface.idl, FilesInterface.idl, ServiceInterface.idl,
            TransactionsInterface.idl, SnapshotsInterface.idl, SystemInterface.idl,
        ] {
            let interface = try InterfaceDescription(text)
            declared.formUnion(interface.methods.keys.map { "\(interface.name).\($0)" })
        }
        #expect(declared == Set(known))
    }
}
