import CleatAPI
import CleatJSON
import CleatSettings

/// What a board's settings are at one generation, as far as they are exported, applied and edited.
struct SettingsSnapshot: Sendable {
    /// The generation.
    var reference: GenerationRef
    /// The values, leaf by leaf.
    var settings = SettingsTree()
    /// What is set and not told, each with the reason: secrets, and what is stored and not in force.
    var withheld: [SettingPath: String] = [:]
    /// What nobody has set, and its default.
    var defaults: [SettingPath: JSONValue] = [:]

    /// What a snapshot holds.
    enum Content: Sendable {
        /// What was committed.
        case committed
        /// What holds, whatever layer it comes from, and mere defaults too where they are asked for.
        case present(defaults: Bool)
    }

    /// Whether something is set at a path or below it, told or not.
    func holdsAnything(at path: SettingPath) -> Bool {
        settings.contains(path) || holdsWithheld(at: path)
    }

    /// Whether something is set at a path or below it that is not told.
    func holdsWithheld(at path: SettingPath) -> Bool {
        withheld.keys.contains { path.isPrefix(of: $0) }
    }
}

extension SettingsSnapshot {
    /// How often a snapshot is begun again because a commit came between its pages.
    private static let attempts = 8

    /// Asks for all settings below a prefix.
    ///
    /// - Parameters:
    ///   - content: which of them.
    ///   - prefix: nil for all.
    ///   - reveal: whether secrets are asked for, too.
    ///   - session: the service that answers.
    /// - Throws: what the service refuses, and that commits come faster than the pages.
    init(
        _ content: Content, under prefix: String?, reveal: Bool = false, from session: Session
    ) throws(CommandError) {
        for _ in 0..<Self.attempts {
            if let whole = try Self.read(content, under: prefix, reveal: reveal, from: session) {
                self = whole
                return
            }
        }
        throw CommandError(
            status: .conflict, layer: .validate, code: "Busy",
            message: "the settings change faster than they can be read", remedy: "do it again in a moment")
    }

    /// Reads all pages; nil where they are not of one generation.
    private static func read(
        _ content: Content, under prefix: String?, reveal: Bool, from session: Session
    ) throws(CommandError) -> SettingsSnapshot? {
        var infos: [SettingInfo] = []
        var reference: GenerationRef?
        var isWhole = true
        try session.stream(
            SettingsInterface.List.self, .init(prefix: prefix, defaults: true, reveal: reveal ? true : nil)
        ) { (page) throws(CommandError) in
            let present = GenerationRef(store: page.store, generation: page.generation)
            isWhole = isWhole && reference ?? present == present
            reference = present
            infos += page.settings
            return true
        }
        guard isWhole, let reference else { return nil }
        var snapshot = SettingsSnapshot(reference: reference)
        var rows: [(SettingPath, JSONValue)] = []
        for info in infos {
            guard let path = try? SettingPath(info.path) else { continue }
            switch content {
            case .committed:
                var info = info
                if info.origin == .volatile, info.inactive == nil {
                    let reply = try session.call(
                        SettingsInterface.Why.self, .init(path: info.path, reveal: reveal ? true : nil))
                    guard reply.store == reference.store, reply.generation == reference.generation else { return nil }
                    guard let committed = reply.layers.first(where: { $0.layer == .committed }) else { continue }
                    info.value = committed.value
                    info.origin = .committed
                    info.inactive = committed.ignored.flatMap { reply.lock == nil ? $0 : nil }
                }
                snapshot.note(info, at: path, isIncluded: info.origin == .committed, &rows)
            case .present(let defaults):
                snapshot.note(info, at: path, isIncluded: info.origin != .schemaDefault || defaults, &rows)
            }
        }
        snapshot.settings = SettingsTree(rows.filter { row in row.1 != [:] || !rows.contains { $0.0.isBelow(row.0) } })
        return snapshot
    }

    private mutating func note(
        _ info: SettingInfo, at path: SettingPath, isIncluded: Bool, _ rows: inout [(SettingPath, JSONValue)]
    ) {
        if let inactive = info.inactive {
            withheld[path] = "stored, but not in force: \(inactive)"
        } else if isIncluded, let value = info.complete {
            rows.append((path, value))
        } else if info.secret == true, info.origin != .schemaDefault, isIncluded {
            withheld[path] = "a secret, which is set"
        } else if info.origin == .schemaDefault, let value = info.complete {
            defaults[path] = value
        }
    }
}
