import CleatAPI
import CleatJSON
import CleatSettings

@testable import cleat

/// Replies as a board gives them, some with text that wants to take over the terminal.
enum Samples {
    static let hostile = "\u{1b}]0;owned\u{7}\u{1b}[2Jx\u{9b}31m\r\n\u{202e}txt\u{0}"

    static let settings = [
        SettingInfo(
            path: "network/interfaces/eth0/addresses", value: ["192.0.2.7/24", "2001:db8::7/64"], origin: .committed,
            inForce: true),
        SettingInfo(
            path: "network/interfaces/eth0/mtu", value: 1400, origin: .committed, inForce: true),
        SettingInfo(path: "network/interfaces/eth1", value: [:], origin: .committed, inForce: true),
        SettingInfo(
            path: "old/removed", value: true, origin: .committed, inForce: false,
            inactive: "no schema knows this path"),
        SettingInfo(path: "system/hostname", value: "board", origin: .schemaDefault, inForce: false),
        SettingInfo(path: "system/note", value: .string(hostile), origin: .committed, inForce: true),
        SettingInfo(path: "system/serial", value: "0042", origin: .committed, inForce: true),
        SettingInfo(path: "system/splash", origin: .schemaDefault, inForce: false),
    ]

    static let onTrial = [
        SettingInfo(path: "system/hostname", value: "tried", origin: .committed, inForce: true, pending: "t1"),
        SettingInfo(path: "system/timezone", value: "UTC", origin: .schemaDefault, inForce: false, pending: "t1"),
    ]

    static let changes = [
        ChangeRecord(path: "network/interfaces/eth0/mtu", old: 1500, new: 1400),
        ChangeRecord(path: "system/hostname", old: nil, new: "pump-7"),
        ChangeRecord(path: "time/ntp/servers", old: ["a.example"], new: nil),
    ]

    static let plan = SettingsInterface.Set.Reply(
        id: "x", store: "5e1f", generation: 12, state: .checked, changes: changes,
        plan: ChangePlan(
            steps: [
                .init(
                    adapter: "host-name", kind: "file", resource: "/etc/hostname", action: .change,
                    diff: "--- a/etc/hostname\n+++ b/etc/hostname\n@@ -1 +1 @@\n-\(hostile)\n+pump-7\n"),
                .init(
                    adapter: "host-name", kind: "host-name", resource: "the kernel's host name", action: .change,
                    before: "board", after: "pump-7"),
                .init(
                    adapter: "time-servers", kind: "file", resource: "/etc/systemd/timesyncd.conf.d/60-cleat.conf",
                    action: .remove, before: "a file of mode 0644, owner 0:0",
                    note: "its state before Cleat is restored"),
                .init(
                    adapter: "leds", kind: "attribute", resource: "/sys/class/leds/a/trigger", action: .unchanged,
                    before: "none", after: "none"),
            ],
            actions: [
                .init(
                    adapter: "time-servers", kind: .service, title: "restart systemd-timesyncd.service",
                    service: "systemd-timesyncd.service", program: "/usr/bin/systemctl"),
                .init(
                    adapter: "apply:app", kind: .command, title: "run /bin/app", note: "not done: nothing here does it"),
                .init(adapter: "apply:app", kind: .reboot, title: "reboot", note: "the kernel reads it at boot"),
            ],
            links: ["eth0"], connection: .cut, reason: "it uses 192.0.2.7 on eth0, which loses this address",
            notes: ["stored, for programs that watch it; no adapter follows a/b"], omitted: 3))

    static func rehearsal(differing: Bool) -> SettingsInterface.Set.Reply {
        .init(
            id: "r1", store: "5e1f", generation: 14, state: .reverted, changes: changes,
            results: [.init(adapter: "host-name", state: .applied, message: "wrote /etc/hostname")],
            rehearsal: [
                .init(
                    adapter: "host-name", kind: "file", resource: "/etc/hostname",
                    state: differing ? .differs : .restored,
                    message: differing ? "its content differs (7 bytes before, 9 now)" : "restored"),
                .init(
                    adapter: "host-name", kind: "host-name", resource: "the kernel's host name", state: .skipped,
                    message: "not changed"),
            ])
    }

    /// Volatile values that are taken away where other layers have some.
    static let besides = [
        ChangeRecord(
            path: "system/hostname", old: "passing", new: nil,
            inForce: SettingInfo(path: "system/hostname", value: "pump-7", origin: .committed, inForce: true)),
        ChangeRecord(
            path: "wifi/passphrase",
            inForce: SettingInfo(path: "wifi/passphrase", origin: .vendor, inForce: true, secret: true)),
    ]

    static let missingEntry = SettingsInterface.Get.Reply(
        store: "5e1f", generation: 12, leaf: true,
        setting: .init(
            path: "network/interfaces/etho/dhcp", value: true, origin: .schemaDefault, inForce: false),
        note: "network/interfaces has no entry “etho”; did you mean network/interfaces/eth0/dhcp?")

    static func leaf(
        _ value: JSONValue?, inForce: Bool = true, pending: String? = nil
    ) -> SettingsInterface.Get.Reply {
        .init(
            store: "5e1f", generation: 12, leaf: true,
            setting: .init(
                path: "system/hostname", value: value, origin: inForce ? .committed : .schemaDefault,
                inForce: inForce, pending: pending))
    }

    static let tree = SettingsInterface.Get.Reply(
        store: "5e1f", generation: 12, leaf: false,
        setting: .init(
            path: "network/interfaces",
            value: ["eth0": ["mtu": 1400, "addresses": ["192.0.2.7/24"]], "a/b~c": [:]], origin: .committed,
            inForce: true))

    static let event = EventsInterface.Subscribe.Reply(
        instance: "7f3a",
        event: Event(
            sequence: 41, source: .device, action: "add", subject: "/devices/pci0000:00/usb1/1-1",
            properties: ["SUBSYSTEM": "usb", "ID_MODEL": hostile, "DEVTYPE": "usb_device"],
            time: "2026-03-04T05:06:07.089Z", bootID: "b007", bootTime: 123_456, synchronised: false,
            cause: "rename-1", restored: true))

    static let run = HookRun(
        time: "2026-03-04T05:06:07.089Z", event: "device add /devices/x", duration: 1204, status: .exited, code: 3,
        output: "one\n\u{1b}[31mtwo\n", outputBytes: 5000)

    static let trial = HooksInterface.Test.Reply(
        matches: false, event: "link up eth0",
        clauses: [
            .init(name: "source", pattern: "link", value: "link", matches: true),
            .init(name: "subject", pattern: "wlan*", value: hostile, matches: false),
            .init(name: "properties.OPERSTATE", pattern: "up", matches: false),
        ], command: ["/bin/sh", "-c", "echo $CLEAT_SUBJECT"],
        environment: ["PATH": "/usr/bin", "CLEAT_SUBJECT": hostile])

    static let hooks = HooksInterface.List.Reply(
        hooks: [
            HookInfo(
                name: "usb-stick", file: "/etc/cleat/hooks.d/usb-stick.json5",
                match: .init(source: "device", action: "add", properties: ["SUBSYSTEM": "block", "DEVTYPE": "part*"]),
                run: ["/usr/lib/cleat/mount", "--auto"], timeout: 30_000, runs: 5, failures: 1, suppressed: 2,
                last: run),
            HookInfo(
                name: "quiet", file: "/etc/cleat/hooks.d/quiet.json5", match: .init(), run: ["/bin/true"],
                timeout: 1000,
                sandbox: .init(writePaths: ["/run/quiet", "/var/log/quiet"], required: true, enforced: true)),
            HookInfo(
                name: "hoping", file: "/etc/cleat/hooks.d/hoping.json5", match: .init(), run: ["/bin/true"],
                timeout: 1000, sandbox: .init(writePaths: [], required: false, enforced: false)),
        ],
        problems: [
            .init(file: "/etc/cleat/hooks.d/bad.json5", line: 3, column: 7, message: "expected a colon"),
            .init(file: "/etc/cleat/hooks.d/open.json5", message: "anyone can write to it; chmod go-w"),
        ])

    static let location = Event(
        sequence: 7, source: .app, action: "located", subject: "location",
        properties: [
            "FIX": "3d", "LATITUDE": "52.520", "LONGITUDE": "-13.405", "ALTITUDE": "34", "ERROR": "11", "SPEED": "0.1",
            "COURSE": "12", "TIME": Samples.hostile, "FENCES": "depot home", "EMITTER_UID": "987",
        ], time: "2026-03-04T05:06:07.089Z", bootID: "b", bootTime: 1, synchronised: true)

    static let supplies: [Supply] = [
        .init(name: "AC", kind: .mains, scope: .board, online: true),
        .init(
            name: "BAT0", kind: .battery, scope: .board, status: .discharging, capacity: 57, basis: .capacity,
            level: "normal", health: "good", present: true, voltage: 3_850_000, current: -120_500, power: 463_925,
            temperature: -5, model: Samples.hostile),
        .init(
            name: "BAT1", kind: .battery, scope: .board, status: .idle, capacity: 10, basis: .level, level: "low",
            health: "over voltage", present: true, voltage: .min, current: .max, temperature: .min),
        .init(name: "BAT2", kind: .battery, scope: .board, status: .unknown, present: false),
        .init(name: "mouse", kind: .battery, scope: .device, capacity: 85, basis: .energy, online: false),
    ]

    /// The writes of a service that has run for a time in milliseconds, on a card.
    static func flash(_ uptime: Int64, _ device: StorageDevice? = nil) -> ServiceInterface.Flash.Reply {
        .init(
            uptime: uptime, since: "2026-01-02T03:04:05.000Z",
            written: [
                Written(part: "store", bytes: 1 << 20, flushes: 100, totalBytes: 5 << 30, totalFlushes: 123_456),
                Written(part: "system", bytes: 2_048, flushes: 1, totalBytes: 4_096, totalFlushes: 1),
                Written(part: "files", bytes: 0, flushes: 0, totalBytes: 0, totalFlushes: 0),
                Written(part: "log", bytes: 10_000, flushes: 0, totalBytes: 20_000, totalFlushes: 0),
            ], device: device)
    }

    static func card(_ kind: String, lifeUsed: Int64? = nil) -> StorageDevice {
        StorageDevice(
            name: "mmcblk0", kind: kind, capacity: 32 << 30, written: 3 << 30, flushes: lifeUsed == nil ? nil : 4_321,
            lifeUsed: lifeUsed)
    }

    static let status = ServiceInterface.Status.Reply(
        version: "0.1.0", instance: "7f3a", pid: 812, uid: 0, started: "2026-03-04T05:06:07.089Z",
        uptime: 93_784_000, store: "5e1f", generation: 12, stateDirectory: "/var/lib/cleat", root: "/tmp/root",
        settings: 9, inactive: ["old/removed"],
        observers: [
            .init(source: "device", name: "devices", summary: "libudev"), .init(source: "link", name: "links"),
            .init(
                source: "file", name: "inbox", summary: "inotify, 2 directories",
                problem: "files that arrive in deep of the inbox are not reported"),
        ], connections: 2, memoryPrivate: 163_840,
        memoryPSS: 4_100_000, threads: 2, hooks: 2, hookProblems: 1,
        configProblem: "/etc/cleat/cleat.json5:3:1: unknown key",
        storeNotes: ["quarantined settings.db: not a database"],
        counters: [.init(name: "events", value: 412), .init(name: "forged", value: 0)], landlockABI: 2,
        fileProblems: ["Could not open the area “inbox”."])

    static let problems = APIError.invalidValue([
        .init(path: "network/interfaces/eth0/mtu", value: 7, code: "range", reason: "7 is less than 68"),
        .init(path: "system/nothing", value: true, code: "unknown", reason: "no setting has this path"),
    ])

    static let entries = [
        FileInfo(
            path: "certs/ca.pem", type: .file, size: 1_234_567, mode: "0644", uid: 0, gid: 7,
            modified: "2026-03-04T05:06:07.089Z"),
        FileInfo(path: "certs/deep", type: .directory, mode: "0755", modified: "2026-03-04T05:06:07.089Z"),
        FileInfo(path: "certs/\(hostile)", type: .file, size: 0, mode: "0600", modified: "1970-01-01T00:00:12.000Z"),
        FileInfo(path: "certs/link", type: .link, mode: "0777", modified: "2026-03-04T05:06:07.089Z"),
        FileInfo(path: "certs/pipe", type: .other, mode: "0600", links: 2, modified: "2026-03-04T05:06:07.089Z"),
    ]

    static let transfers = [
        FileTransferView.Item(
            local: "ca.pem", target: FileTarget(area: "documents", path: "certs/ca.pem"), size: 5, sha256: "00ff"),
        FileTransferView.Item(
            local: hostile, target: FileTarget(area: "documents", path: hostile), size: 3 << 30, sha256: "11ee",
            resumedAt: 1 << 30),
    ]

    static let skipped = [
        FileTransferView.Skipped(name: "site/\(hostile)", reason: "a symbolic link, which is not followed")
    ]

    static let quota: FilesError = {
        var error = FilesError(
            .quotaExceeded, area: "documents", path: "a.bin",
            message:
                "it needs 9437184 bytes, and the area holds 63963136 of at most 67108864; remove files, or raise the "
                + "area's quota")
        (error.resource, error.used, error.limit, error.asked) = ("bytes", 61 << 20, 64 << 20, 9 << 20)
        return error
    }()

    static let why = SettingsInterface.Why.Reply(
        store: "5e1f", generation: 12,
        setting: .init(path: "system/hostname", value: "pump-7", origin: .committed, inForce: true),
        layers: [
            .init(
                layer: .committed, value: "pump-7", inForce: true, generation: 12, author: "ada",
                time: "2026-03-04T05:06:07.089Z", comment: hostile),
            .init(layer: .vendor, value: "42", file: "/usr/share/cleat/defaults.d/10-pump.json5"),
            .init(layer: .schemaDefault, value: "board"),
        ], unset: .init(layer: .vendor, value: "42", file: "/usr/share/cleat/defaults.d/10-pump.json5"))

    static let whyLocked = SettingsInterface.Why.Reply(
        store: "5e1f", generation: 12,
        setting: .init(
            path: "wifi/passphrase", origin: .factory, inForce: true, secret: true, lock: .factory),
        layers: [
            .init(
                layer: .committed, ignored: "wifi is locked to factory", generation: 7, author: "bob",
                time: "2026-03-04T05:06:07.089Z"),
            .init(layer: .factory, inForce: true, file: "/var/lib/cleat/factory.json5"),
        ],
        lock: .init(path: "wifi", layer: .factory, file: "/etc/cleat/locks.d/radio.json5", reason: "certified"),
        unset: .init(layer: .factory, file: "/var/lib/cleat/factory.json5"))

    static let doctor = SettingsInterface.Doctor.Reply(
        findings: [
            .init(
                kind: .refusedFile, subject: "/etc/cleat/schema.d/pump.json", message: "expected a colon",
                remedy: "correct it and reload", line: 3, column: 7),
            .init(
                kind: .unknownSetting, subject: "old/removed", message: hostile,
                remedy: "unset it, or install its schema"),
        ], omitted: 3)

    static let layered = [
        SettingInfo(path: "a/locked", value: 1, origin: .vendor, inForce: true, lock: .vendor),
        SettingInfo(path: "a/now", value: "debug", origin: .volatile, inForce: true),
        SettingInfo(path: "wifi/other", origin: .schemaDefault, inForce: false, secret: true),
        SettingInfo(path: "wifi/passphrase", origin: .committed, inForce: true, secret: true),
    ]

    static let kept = ["wifi/passphrase", "old/removed"].compactMap { try? SettingPath($0) }
}
