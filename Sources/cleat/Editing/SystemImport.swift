import CleatAPI
import CleatJSON
import CleatSettings

/// The present configuration of a system as settings that the service accepts.
struct SystemImport {
    /// The settings.
    private(set) var settings: [PresentSetting]
    /// The parts that are not imported.
    private(set) var skipped: [SkippedPart]
    /// The number of further parts that are not listed.
    let omitted: Int
    /// The plan of the change; nil if there is nothing to import.
    private(set) var plan: SettingsInterface.Set.Reply?

    /// The change, with all settings.
    var changes: [RequestedChange] { settings.map { RequestedChange(path: $0.path, value: $0.value) } }

    /// Reads the configuration, and plans the change; values that are refused are skipped, with all settings of their
    /// interface.
    ///
    /// - Throws: a ``CommandError`` if the service cannot be asked, or refuses the change for another reason.
    init(_ session: Session) throws(CommandError) {
        let found = try session.call(SystemInterface.Present.self, .init())
        (settings, skipped, omitted) = (found.settings, found.skipped, found.omitted ?? 0)
        while !settings.isEmpty {
            do {
                plan = try session.call(SettingsInterface.Set.self, .init(changes: changes, plan: true))
                return
            } catch {
                let problems = error.parameters["problems"]?.arrayValue ?? []
                let count = settings.count
                for problem in problems {
                    guard let path = problem["path"]?.stringValue, !path.isEmpty else { continue }
                    skip(path, problem["reason"]?.stringValue ?? "")
                }
                // Each turn has fewer settings.
                guard settings.count < count else { throw error }
            }
        }
    }

    /// Skips a setting that is refused, and all of its interface: it is configured as a whole or not at all.
    private mutating func skip(_ path: String, _ reason: String) {
        let names = path.split(separator: "/")
        let group = names.count > 3 && names[0] == "network" ? names.prefix(3).joined(separator: "/") + "/" : path
        let refused = settings.filter { $0.path == path || $0.path.hasPrefix(group) }
        guard let first = refused.first else { return }
        settings.removeAll { $0.path == path || $0.path.hasPrefix(group) }
        skipped.append(SkippedPart(source: first.source, reason: "is not imported: \(path) \(reason)"))
    }
}

extension SkippedPart {
    /// The part and the reason as one line.
    var text: String { "\(source) \(reason)" }
}
