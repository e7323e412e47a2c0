import CleatAPI
import CleatJSON

extension Samples {
    static let drift = [
        DriftInfo(
            name: "/etc/hostname", state: .changed, adapter: "host-name", setting: "system/hostname", value: "theirs",
            message: "/etc/hostname was edited: \"theirs\" (system/hostname says \"mine\")",
            remedy:
                "Keep the edit: cleat adopt /etc/hostname. Discard it: cleat reapply /etc/hostname"
        ),
        DriftInfo(
            name: "/etc/motd\u{1B}[31m", state: .released, adapter: "apply:motd",
            message: "/etc/motd\u{1B}[31m is not used by any setting any more", remedy: "leave it"),
    ]
    static let failures = [
        AdapterResult(adapter: "sysctl", state: .failed, message: "Could not apply /proc/sys/vm/swappiness: no."),
        AdapterResult(adapter: "time-zone", state: .applied, message: "wrote /etc/localtime"),
    ]
    static let adoption = SystemInterface.Adopt.Reply(
        store: "s", generation: 8, changes: [.init(path: "system/hostname", old: "mine", new: "theirs")],
        unchanged: ["/etc/motd"], results: failures, drift: [drift[1]])
}
