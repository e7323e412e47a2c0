import CleatAPI
import CleatAdapters
import CleatJSON
import CleatSettings

extension Drift {
    /// The name of the resource on the command line.
    var name: String {
        switch resource {
        case .hostName: "hostname"
        case .document: resource.description
        default: resource.path ?? resource.text
        }
    }

    /// The difference, as a sentence without its full stop.
    var sentence: String { "\(resource) \(words)" }

    /// True if it can be left as it is.
    var canStay: Bool {
        switch kind {
        case .changed, .released: true
        case .differs, .missing, .notApplied, .held, .unreadable: false
        }
    }

    /// The kind of difference, on the wire.
    var state: DriftInfo.State {
        switch kind {
        case .changed, .differs: .changed
        case .missing: .missing
        case .released: .released
        case .notApplied, .held: .notApplied
        case .unreadable: .unreadable
        }
    }

    /// The difference as a phrase, without the resource.
    var words: String {
        switch kind {
        case .changed: "was edited outside Cleat"
        case .differs(let differences): differences.map(\.words).joined(separator: ", ")
        case .missing: "is missing"
        case .released: "is not used by any setting any more, and its former state is not restored"
        case .notApplied: "differs from the settings"
        case .held(let former):
            "is not applied: its settings were made when \(Self.service(former)) ran the network, and now "
                + "\(Self.service(adapter)) does"
        case .unreadable(let error): "cannot be read: \(error.reason)"
        }
    }

    /// The remedy.
    var remedy: String {
        switch kind {
        case .differs(let differences) where Self.reason(against: differences) != nil:
            "Discard the edit: cleat reapply \(name). It cannot be adopted: the interface "
                + (Self.reason(against: differences) ?? "differs")
        // No setting is derived from the state of a program.
        case .changed where resource.isProgram:
            "Keep the edit: cleat adopt \(name) --as-is. Discard it: cleat reapply \(name)"
        case .changed, .differs:
            "Keep the edit: cleat adopt \(name). Discard it: cleat reapply \(name)"
        case .missing, .notApplied: "Apply the settings: cleat reapply \(name)"
        case .held:
            "Apply it on trial: cleat reapply --confirm 2m \(name). Drop it: unset its settings"
        case .released: "Keep the present state: cleat adopt \(name). Restore the former state: cleat reapply \(name)"
        case .unreadable(let error) where error.isObstacle:
            "move it away (mv \(name) \(name).old), then run 'cleat reapply \(name)'"
        case .unreadable: "correct that, then run 'cleat drift' again"
        }
    }

    /// Returns the name of the service of a network adapter.
    private static func service(_ adapter: String) -> String {
        switch adapter {
        case "interfaces": "nothing but the kernel"
        case "networkd": "systemd-networkd"
        case "networkmanager": "NetworkManager"
        default: adapter
        }
    }

    /// Returns the reason why a difference cannot be adopted; nil if it can.
    private static func reason(against differences: [InterfaceDifference]) -> String? {
        for difference in differences {
            if case .impossible(let reason) = difference.adoption { return reason }
        }
        return nil
    }

    /// Describes the differences of an interface on the wire: with the value that it would be adopted as, if that is
    /// one setting.
    func info(_ differences: [InterfaceDifference]) -> DriftInfo {
        var value: JSONValue?
        if differences.count == 1, case .value(let one) = differences[0].adoption { value = one }
        return DriftInfo(
            name: name, state: state, adapter: adapter,
            setting: (differences.count == 1 ? differences[0].setting : setting)?.text, value: value, message: sentence,
            remedy: remedy)
    }
}
