import CleatAPI
import CleatAdapters

extension Drift {
    /// What people call the resource on the command line.
    var name: String { resource == .hostName ? "hostname" : resource.path ?? resource.text }

    /// What is the matter, as a sentence without its full stop.
    var sentence: String { "\(resource) \(words)" }

    /// Whether it can be left as it is.
    var canStay: Bool {
        switch kind {
        case .changed, .letGo: true
        case .missing, .notApplied, .unreadable: false
        }
    }

    /// How it differs, on the wire.
    var state: DriftInfo.State {
        switch kind {
        case .changed: .changed
        case .missing: .missing
        case .letGo: .letGo
        case .notApplied: .notApplied
        case .unreadable: .unreadable
        }
    }

    /// How it differs.
    var words: String {
        switch kind {
        case .changed: "was changed outside"
        case .missing: "is missing"
        case .letGo: "is wanted by no setting any more, and is not what it was before"
        case .notApplied: "is not what the settings say"
        case .unreadable(let error): "cannot be looked at: \(error.reason)"
        }
    }

    /// What to do about it.
    var remedy: String {
        switch kind {
        case .changed: "'cleat adopt \(name)' takes it over, 'cleat reapply \(name)' writes what the settings say"
        case .missing, .notApplied: "'cleat reapply \(name)' writes what the settings say"
        case .letGo: "'cleat adopt \(name)' leaves it, 'cleat reapply \(name)' brings back what it was"
        case .unreadable: "see to it, then look again with 'cleat drift'"
        }
    }
}
