import CleatAPI
import CleatJSON
import CleatSettings

/// A board's settings at one generation, as `cleat export`, `apply` and `edit` use them.
struct SettingsSnapshot: Sendable {
    /// The generation.
    var reference: GenerationRef
    /// The values of the leaves.
    var settings = SettingsTree()
    /// The settings whose values are withheld, with the reason: secrets, and stored values that are not in force.
    var withheld: [SettingPath: String] = [:]
    /// The unset settings, with their defaults.
    var defaults: [SettingPath: JSONValue] = [:]

    /// The selection of settings.
    enum Content: Sendable {
        /// The committed values.
        case committed
        /// The values in force from all layers, optionally with the schema's defaults.
        case present(defaults: Bool)
    }

    /// Returns true if there is a value at a path or below it, withheld or not.
    func holdsAnything(at path: SettingPath) -> Bool {
        settings.contains(path) || holdsWithheld(at: path)
    }

    /// Returns true if there is a withheld value at a path or below it.
    func holdsWithheld(at path: SettingPath) -> Bool {
        withheld.keys.contains { path.isPrefix(of: $0) }
    }
}

extension SettingsSnapshot {
    /// The reason why a secret is withheld.
    static let setSecret = "a secret, which is set"

    /// The maximum number of attempts to read all pages without a commit between them.
    private static let attempts = 8

    /// Reads all settings below a prefix.
    ///
    /// - Parameters:
    ///   - content: the selection of settings.
    ///   - prefix: the path of a group; nil for all settings.
    ///   - reveal: true to ask for secrets, too.
    ///   - session: the session with the service.
    /// - Throws: the service's refusal, or a conflict if commits come faster than the pages can be read.
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
            message: "the settings change faster than they can be read", remedy: "try again in a moment")
    }

    /// Reads all pages; nil if they are not all of one generation.
    private static func read(
        _ content: Content, under prefix: String?, reveal: Bool, from session: Session
    ) throws(CommandError) -> SettingsSnapshot? {
        var snapshot = SettingsSnapshot(reference: GenerationRef(store: "", generation: 0))
        // The committed values of settings with a volatile one are read once the pages are.
        var hidden: [(path: SettingPath, info: SettingInfo)] = []
        let reference = try each(under: prefix, reveal: reveal, from: session) { info, path, _ in
            switch content {
            case .committed where info.origin == .volatile && info.inactive == nil: hidden.append((path, info))
            case .committed: snapshot.note(info, at: path, isIncluded: info.origin == .committed)
            case .present(let defaults):
                snapshot.note(info, at: path, isIncluded: info.origin != .schemaDefault || defaults)
            }
        }
        guard let reference else { return nil }
        snapshot.reference = reference
        for (path, info) in hidden {
            var info = info
            let reply = try session.call(
                SettingsInterface.Why.self, .init(path: info.path, reveal: reveal ? true : nil))
            guard reply.store == reference.store, reply.generation == reference.generation else { return nil }
            guard let committed = reply.layers.first(where: { $0.layer == .committed }) else { continue }
            info.value = committed.value
            info.origin = .committed
            info.inactive = committed.ignored.flatMap { reply.lock == nil ? $0 : nil }
            snapshot.note(info, at: path, isIncluded: true)
        }
        let all = snapshot.settings
        let groups = all.joined.filter { $0.value.isEmptyObject && all.hasRows(below: $0.path) }
        if !groups.isEmpty {
            snapshot.settings.apply(groups.map { SettingDifference(path: $0.path, old: $0.value, new: nil) })
        }
        return snapshot
    }

    /// Lists all settings below a prefix.
    ///
    /// - Parameters:
    ///   - prefix: the path of a group; nil for all settings.
    ///   - reveal: true to ask for secrets, too.
    ///   - session: the session with the service.
    ///   - body: takes each setting, its path, and the generation of its page.
    /// - Returns: the generation; nil if the pages are not all of one.
    /// - Throws: the service's refusal, or an error for a path that cannot be read.
    static func each(
        under prefix: String?, reveal: Bool, from session: Session,
        _ body: (SettingInfo, SettingPath, GenerationRef) -> Void
    ) throws(CommandError) -> GenerationRef? {
        var reference: GenerationRef?
        var isWhole = true
        try session.list(.init(prefix: prefix, defaults: true, reveal: reveal ? true : nil)) {
            (page) throws(CommandError) in
            let present = GenerationRef(store: page.store, generation: page.generation)
            isWhole = isWhole && reference ?? present == present
            reference = present
            for info in page.settings { body(info, try Self.path(info.path), present) }
            return true
        }
        return isWhole ? reference : nil
    }

    /// Reads the path of a setting as the service names it.
    private static func path(_ text: String) throws(CommandError) -> SettingPath {
        do throws(SettingPathError) {
            return try SettingPath(text)
        } catch {
            throw CommandError(
                status: .failure, layer: .speak, code: "Reply",
                message: "the service names a setting that this program cannot read: \(error)",
                remedy: CommandError.otherVersion)
        }
    }

    /// Notes a setting that the service lists: its value, its default, or that it is withheld.
    mutating func note(_ info: SettingInfo, at path: SettingPath, isIncluded: Bool) {
        if let inactive = info.inactive {
            withheld[path] = "stored, but not in force: \(inactive)"
        } else if isIncluded, let value = info.complete {
            settings.add(SettingsTree.Row(path: path, value: value))
        } else if info.secret == true, info.origin != .schemaDefault, isIncluded {
            withheld[path] = Self.setSecret
        } else if info.origin == .schemaDefault, let value = info.complete {
            defaults[path] = value
        }
    }
}
