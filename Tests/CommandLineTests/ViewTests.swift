import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews
import Testing

@testable import cleat

/// One view with a name.
struct Shown: Sendable, CustomTestStringConvertible {
    let name: String
    let render: @Sendable (Renderer) -> String
    var testDescription: String { name }

    init(_ name: String, _ view: @escaping @Sendable () -> some TextPresentable & JSONPresentable) {
        self.name = name
        render = { $0.render(view()) }
    }
}

private let views: [Shown] = [
    Shown("get-leaf") { SettingView(reply: Samples.leaf("pump-7"), interactive: true) },
    Shown("get-default") { SettingView(reply: Samples.leaf("board", inForce: false), interactive: true) },
    Shown("get-pending") { SettingView(reply: Samples.leaf("tried", pending: "t1"), interactive: true) },
    Shown("get-pending-default") {
        SettingView(reply: Samples.leaf("board", inForce: false, pending: "t1"), interactive: true)
    },
    Shown("list-pending") { SettingListView(store: "5e1f", generation: 13, settings: Samples.onTrial) },
    Shown("get-list") { SettingView(reply: Samples.leaf(["a", 1, .null]), interactive: true) },
    Shown("get-hostile") { SettingView(reply: Samples.leaf(.string(Samples.hostile)), interactive: true) },
    Shown("get-tree") { SettingView(reply: Samples.tree, interactive: true) },
    Shown("list") { SettingListView(store: "5e1f", generation: 12, settings: Samples.settings) },
    Shown("list-empty") { SettingListView(store: "5e1f", generation: 0, settings: [], onlySet: true) },
    Shown("describe") {
        DescriptionView(descriptions: [
            .init(
                path: "network/interfaces/{name}/mtu", types: ["integer"], title: "MTU", description: "Largest packet.",
                default: 1500, constraints: ["minimum": 68, "maximum": 65535]),
            .init(
                path: "system/hostname", types: ["string"], title: "Host name", default: "board",
                constraints: ["format": "hostname", "maxLength": 64]),
            .init(path: "system/splash", types: ["string", "null"]),
        ])
    },
    Shown("describe-empty") { DescriptionView(descriptions: []) },
    Shown("set") {
        CommitView(
            reply: .init(id: "rename-1", store: "5e1f", generation: 13, state: .confirmed, changes: Samples.changes))
    },
    Shown("set-applied") {
        CommitView(
            reply: .init(
                id: "rename-1", store: "5e1f", generation: 13, state: .confirmed, changes: Samples.changes,
                results: [
                    .init(adapter: "hostname", state: .applied, message: "the kernel has the new name"),
                    .init(adapter: "network", state: .failed, message: "eth0: no such device"),
                    .init(adapter: "time", state: .notApplied, message: "nothing applies it yet"),
                ]))
    },
    Shown("set-beside-others") {
        CommitView(
            reply: .init(
                id: "x", store: "5e1f", generation: 12, state: .confirmed, changes: Samples.besides, volatile: true))
    },
    Shown("unset-secret") {
        CommitView(
            reply: .init(
                id: "x", store: "5e1f", generation: 12, state: .confirmed, changes: [Samples.besides[1]],
                volatile: true))
    },
    Shown("get-missing-entry") {
        SettingView(reply: Samples.missingEntry, interactive: true)
    },
    Shown("list-missing-entry") {
        SettingListView(store: "5e1f", generation: 0, settings: [], note: Samples.missingEntry.note)
    },
    Shown("set-unchanged") {
        CommitView(reply: .init(id: "x", store: "5e1f", generation: 12, state: .unchanged, changes: []))
    },
    Shown("set-repeated") {
        CommitView(
            reply: .init(id: "rename-1", store: "5e1f", generation: 13, state: .repeated, changes: Samples.changes))
    },
    Shown("set-checked") {
        CommitView(
            reply: .init(
                id: "x", store: "5e1f", generation: 12, state: .checked,
                changes: Samples.changes + [.init(path: "wifi/passphrase")]))
    },
    Shown("plan") { PlanView(reply: Samples.plan) },
    Shown("plan-nothing") {
        PlanView(reply: .init(id: "x", store: "5e1f", generation: 12, state: .unchanged, changes: []))
    },
    Shown("rehearsal") { PlanView(reply: Samples.rehearsal(differing: false)) },
    Shown("rehearsal-differs") { PlanView(reply: Samples.rehearsal(differing: true)) },
    Shown("set-volatile") {
        CommitView(
            reply: .init(
                id: "try-1", store: "5e1f", generation: 12, state: .confirmed, changes: Samples.changes,
                results: [
                    .init(
                        adapter: "system", state: .notApplied, level: .detail,
                        message: "until the next boot, for programs that watch it; no adapter follows app/rate")
                ], volatile: true))
    },
    Shown("unset-volatile") {
        CommitView(
            reply: .init(
                id: "try-2", store: "5e1f", generation: 12, state: .confirmed,
                changes: [.init(path: "agent/log/level", old: "debug")],
                results: [.init(adapter: "agent", state: .applied, message: "in force now")], volatile: true))
    },
    Shown("set-volatile-repeated") {
        CommitView(
            reply: .init(
                id: "try-1", store: "5e1f", generation: 12, state: .repeated, changes: Samples.changes, volatile: true))
    },
    Shown("why") { WhyView(reply: Samples.why) },
    Shown("why-locked") { WhyView(reply: Samples.whyLocked) },
    Shown("why-empty") {
        WhyView(
            reply: .init(
                store: "5e1f", generation: 12,
                setting: .init(path: "system/splash", origin: .schemaDefault, inForce: false), layers: []))
    },
    Shown("doctor") {
        FindingsView(
            findings: Samples.doctor.findings, omitted: Samples.doctor.omitted ?? 0, none: "",
            json: JSONValue(showing: Samples.doctor))
    },
    Shown("drift") { DriftView(drift: Samples.drift, failures: Samples.failures) },
    Shown("drift-empty") { DriftView(drift: [], failures: []) },
    Shown("reapply") { RepairView(reply: .init(results: Samples.failures, drift: [Samples.drift[0]])) },
    Shown("adopt") { AdoptionView(reply: Samples.adoption) },
    Shown("doctor-empty") {
        FindingsView(
            findings: [], omitted: 0, none: "no problems found",
            json: JSONValue(showing: SettingsInterface.Doctor.Reply(findings: [])))
    },
    Shown("note") { NoteView(note: "the text was not changed; nothing was changed", state: "unchanged") },
    Shown("list-layers") { SettingListView(store: "5e1f", generation: 12, settings: Samples.layered) },
    Shown("apply") {
        ApplicationView(
            reply: .init(id: "x", store: "5e1f", generation: 13, state: .confirmed, changes: Samples.changes),
            kept: Samples.kept)
    },
    Shown("log") {
        LogView(
            store: "5e1f",
            generations: [
                .init(
                    number: 12, id: "rename-1", time: "2026-03-04T05:06:07.089Z", bootID: "b007", bootTime: 5,
                    synchronised: true, author: "root", comment: Samples.hostile, changes: Samples.changes),
                .init(
                    number: 11, id: "a1", time: "1970-01-01T00:00:12.000Z", bootID: "b006", bootTime: 5,
                    synchronised: false, author: "alice", changes: []),
            ], next: 11)
    },
    Shown("log-empty") { LogView(store: "5e1f", generations: [], next: nil) },
    Shown("diff") { DifferenceView(reply: .init(store: "5e1f", from: 11, to: 12, changes: Samples.changes)) },
    Shown("diff-empty") { DifferenceView(reply: .init(store: "5e1f", from: 11, to: 12, changes: [])) },
    Shown("watch") {
        WatchView(
            reply: .init(
                store: "5e1f", generation: 13, initial: false, settings: Samples.settings, removed: ["time/ntp"],
                lost: 3))
    },
    Shown("event") { EventView(reply: Samples.event, showsProperties: false) },
    Shown("event-properties") { EventView(reply: Samples.event, showsProperties: true) },
    Shown("event-start") { EventView(reply: .init(instance: "7f3a"), showsProperties: false) },
    Shown("event-lost") { EventView(reply: .init(instance: "7f3a", lost: 17), showsProperties: false) },
    Shown("devices") {
        DeviceListView(devices: [
            .init(
                devpath: "/devices/pci0000:00/block/sda", subsystem: "block", devtype: "disk", name: "sda",
                node: "/dev/sda", driver: "sd", properties: ["ID_SERIAL": "1"]),
            .init(devpath: "/devices/virtual/net/lo", subsystem: "net", name: Samples.hostile),
        ])
    },
    Shown("devices-empty") { DeviceListView(devices: []) },
    Shown("links") {
        LinkListView(links: [
            .init(
                index: 1, name: "lo", type: "loopback", state: "unknown", carrier: true, up: true, mtu: 65536,
                addresses: ["127.0.0.1/8", "::1/128"], duplicates: [], routes: []),
            .init(
                index: 2, name: "eth0", kind: "veth", type: "ether", address: "02:00:00:00:00:01", state: "down",
                carrier: false, up: false, mtu: 1500, duplicates: [], routes: []),
        ])
    },
    Shown("links-empty") { LinkListView(links: []) },
    Shown("power") { SupplyListView(supplies: Samples.supplies) },
    Shown("power-empty") { SupplyListView(supplies: []) },
    Shown("power-others") { SupplyListView(supplies: [], others: 2) },
    Shown("location") { LocationView(location: LocationReport.latest(in: [Samples.location])) },
    Shown("location-none") { LocationView(location: nil) },
    Shown("emit") { EmittedView(reply: .init(instance: "7f3a", sequence: 41)) },
    Shown("hooks") { HookListView(reply: Samples.hooks) },
    Shown("hooks-empty") { HookListView(reply: .init(hooks: [], problems: [])) },
    Shown("hook-run") {
        HookRunView(reply: .init(matches: false, event: "link up eth0", clauses: [], run: Samples.run))
    },
    Shown("hook-test") { HookTestView(reply: Samples.trial) },
    Shown("hook-test-refused") {
        var reply = Samples.trial
        reply.matches = true
        reply.clauses = [reply.clauses[0]]
        reply.refused = "anyone can write to it"
        return HookTestView(reply: reply)
    },
    Shown("file-ls") {
        FileListView(target: FileTarget(area: "documents", path: "certs"), entries: Samples.entries, skipped: 2)
    },
    Shown("file-ls-area") {
        FileListView(target: FileTarget(area: "documents", path: ""), entries: Samples.entries)
    },
    Shown("file-ls-empty") { FileListView(target: FileTarget(area: "inbox", path: ""), entries: []) },
    Shown("file-stat") {
        FileStatusView(
            area: "documents", entry: Samples.entries[0], token: "t", sha256: "00ff",
            realPath: "/var/lib/cleat/files/documents/\(Samples.hostile)")
    },
    Shown("file-stat-directory") { FileStatusView(area: "documents", entry: Samples.entries[1], token: "t") },
    Shown("file-df") {
        FileAreaView(areas: [
            .init(
                name: "documents", bytes: 61_000_000, files: 12, quotaBytes: 64 << 20, quotaFiles: 10_000,
                freeBytes: 3_000_000_000, uploads: 1),
            .init(name: "inbox", problem: "the directory /var/lib/cleat/files/inbox is a link"),
        ])
    },
    Shown("file-df-empty") { FileAreaView(areas: []) },
    Shown("file-uploads") {
        FileUploadView(uploads: [
            .init(
                id: "put-6e34", user: 1000, area: "documents", path: Samples.hostile, size: 1 << 30,
                received: 3_500_000,
                expiresIn: 86_340_000),
            .init(id: "x", user: 0, area: "inbox", path: "a", size: 5, received: 0, expiresIn: 59_000),
        ])
    },
    Shown("file-uploads-empty") { FileUploadView(uploads: []) },
    Shown("file-put") { FileTransferView(way: .put, items: Samples.transfers, skipped: Samples.skipped) },
    Shown("file-get") { FileTransferView(way: .get, items: Samples.transfers) },
    Shown("file-mv") {
        FileChangeView(
            from: FileTarget(area: "inbox", path: Samples.hostile), area: "documents", entry: Samples.entries[0])
    },
    Shown("file-mkdir") { FileChangeView(area: "documents", entry: Samples.entries[1]) },
    Shown("file-chmod") { FileChangeView(area: "documents", entry: Samples.entries[0]) },
    Shown("file-append") {
        FileAppendView(target: FileTarget(area: "documents", path: Samples.hostile), appended: 5, size: 5_000_000)
    },
    Shown("file-exists") {
        FileExistenceView(
            target: FileTarget(area: "documents", path: Samples.hostile),
            found: .init(entry: Samples.entries[0], token: "t", readable: true, writable: false))
    },
    Shown("file-exists-not") { FileExistenceView(target: FileTarget(area: "inbox", path: "a")) },
    Shown("file-rm") { FileRemovalView(removed: ["documents/a", "inbox/\(Samples.hostile)"]) },
    Shown("error-quota") { CommandError(.files(Samples.quota)) },
    Shown("flash-card") { FlashView(reply: Samples.flash(86_400_000, Samples.card("SD"))) },
    Shown("flash-chip") { FlashView(reply: Samples.flash(600_000, Samples.card("MMC", lifeUsed: 20))) },
    Shown("flash-extremes") {
        var reply = Samples.flash(600_000, Samples.card("SD"))
        reply.written[0].bytes = .max
        reply.written[0].flushes = .max
        reply.written[1].bytes = .min
        reply.uptime = .max
        return FlashView(reply: reply)
    },
    Shown("flash-much") {
        var reply = Samples.flash(600_000, Samples.card("SD"))
        reply.written[0].bytes = .max
        return FlashView(reply: reply)
    },
    Shown("flash-first-minutes") { FlashView(reply: Samples.flash(599_999)) },
    Shown("status") { StatusView(status: Samples.status) },
    Shown("error-values") { CommandError(Samples.problems) },
    Shown("error-hostile") { CommandError(.unknownHook(name: "x", message: Samples.hostile)) },
]

@Suite struct ViewTests {
    @Test func detailsAreShownOnRequestOnly() {
        let view = CommitView(
            reply: .init(
                id: "x", store: "5e1f", generation: 13, state: .confirmed, changes: [],
                results: [
                    .init(adapter: "a", state: .applied, message: "wrote /etc/a"),
                    .init(adapter: "a", state: .applied, level: .detail, message: "done: restart a"),
                    .init(adapter: "b", state: .notApplied, message: "no b here"),
                    .init(adapter: "c", state: .notApplied, level: .normal, message: "kernel state is unchanged"),
                    .init(adapter: "d", state: .notApplied, level: .normal, message: "kernel state is unchanged"),
                ]))
        let rest = "warning: no b here\nkernel state is unchanged\n"
        #expect(Renderer(form: .text).render(view) == "generation 13 (id x)\nwrote /etc/a\n" + rest)
        #expect(
            Renderer(form: .text, isVerbose: true).render(view)
                == "generation 13 (id x)\nwrote /etc/a\ndone: restart a\n" + rest)
    }

    @Test(arguments: views) func text(_ view: Shown) throws {
        try Golden.expect(view.render(Renderer(form: .text)), matches: "\(view.name).txt")
    }

    @Test(arguments: views) func json(_ view: Shown) throws {
        let text = view.render(Renderer(form: .json))
        _ = try JSONReader.read(text)
        try Golden.expect(text, matches: "\(view.name).json")
    }

    @Test(arguments: views) func jsonLines(_ view: Shown) throws {
        let text = view.render(Renderer(form: .jsonLines))
        for line in text.split(separator: "\n") { _ = try JSONReader.read(String(line)) }
        try Golden.expect(text, matches: "\(view.name).jsonl")
    }

    /// The output to a terminal has no control characters except line ends and our own colours.
    @Test(arguments: views) func neverControlsTheTerminal(_ view: Shown) {
        let plain = view.render(Renderer(form: .text))
        #expect(!plain.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || (0x7f..<0xa0).contains($0.value) })
        #expect(!plain.unicodeScalars.contains { (0x202a...0x202e).contains($0.value) })
        var coloured = view.render(Renderer(form: .text, colour: true))
        for code in ["0", "1", "2", "31", "32", "36"] { coloured = coloured.removing("\u{1b}[\(code)m") }
        #expect(coloured == plain)
    }

    @Test func coloursStandOut() {
        let text = Renderer(form: .text, colour: true).render(
            DifferenceView(reply: .init(store: "s", from: 1, to: 2, changes: Samples.changes)))
        #expect(text.contains("\u{1b}[32m+ system/hostname = pump-7\u{1b}[0m\n"))
    }

    @Test func aScriptGetsTheBareValue() {
        #expect(SettingView(reply: Samples.leaf("a\n\u{1b}b"), interactive: false).raw == "a\n\u{1b}b\n")
        #expect(SettingView(reply: Samples.leaf(["a"]), interactive: false).raw == "[\"a\"]\n")
        #expect(SettingView(reply: Samples.leaf("a"), interactive: true).raw == nil)
        #expect(SettingView(reply: Samples.tree, interactive: false).raw == nil)
    }
}

extension String {
    /// The text without any of the given piece.
    fileprivate func removing(_ piece: String) -> String {
        var result = ""
        var rest = self[...]
        while let range = rest.firstRange(of: piece) {
            result += rest[..<range.lowerBound]
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
