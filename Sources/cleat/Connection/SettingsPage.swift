import CleatAPI
import CleatJSON
import CleatSettings

extension SettingsInterface.List.Reply {
    /// Reads a reply to `List` in place: a list of all settings has many, and a tree of values in between takes longer
    /// than the rest.
    ///
    /// - Parameter message: The reply, without its NUL.
    /// - Returns: The reply, and whether another one follows; nil if the text is not as `write(to:)` writes it, so that
    ///   it is to be decoded in the general way.
    static func read(_ message: ArraySlice<UInt8>) -> (reply: Self, continues: Bool)? {
        unsafe message.withUnsafeBytes { bytes in
            var json = unsafe JSONCursor(bytes)
            return read(&json)
        }
    }

    private static func read(_ json: inout JSONCursor) -> (reply: Self, continues: Bool)? {
        guard json.take("{\"parameters\":{\"store\":"), let store = json.string(), json.take(",\"generation\":"),
            let generation = json.integer(), json.take(",\"settings\":[")
        else { return nil }
        var reply = Self(store: store, generation: generation, settings: [])
        if !json.take("]") {
            repeat {
                guard let setting = SettingInfo(reading: &json) else { return nil }
                reply.settings.append(setting)
            } while json.take(",")
            guard json.take("]") else { return nil }
        }
        if json.take(",\"next\":") {
            guard let next = json.string() else { return nil }
            reply.next = next
        }
        if json.take(",\"note\":") {
            guard let note = json.string() else { return nil }
            reply.note = note
        }
        let continues = json.take("},\"continues\":true}")
        guard continues || json.take("}}"), json.isAtEnd else { return nil }
        return (reply, continues)
    }
}

extension SettingInfo {
    /// Reads the members in the order in which `write(to:)` writes them.
    fileprivate init?(reading json: inout JSONCursor) {
        guard json.take("{\"path\":"), let path = json.string() else { return nil }
        var (value, withDefaults): (JSONValue?, JSONValue?)
        if json.take(",\"value\":") {
            value = json.value()
            if value == nil { return nil }
        }
        if json.take(",\"with_defaults\":") {
            withDefaults = json.value()
            if withDefaults == nil { return nil }
        }
        guard json.take(",\"origin\":"), let origin = SettingLayer(reading: &json), json.take(",\"in_force\":"),
            let inForce = json.flag()
        else { return nil }
        self.init(path: path, value: value, withDefaults: withDefaults, origin: origin, inForce: inForce)
        // Most settings have none of the others.
        if json.take("}") { return }
        if json.take(",\"inactive\":") {
            inactive = json.string()
            if inactive == nil { return nil }
        }
        if json.take(",\"secret\":") {
            secret = json.flag()
            if secret == nil { return nil }
        }
        if json.take(",\"lock\":") {
            lock = SettingLayer(reading: &json)
            if lock == nil { return nil }
        }
        if json.take(",\"pending\":") {
            pending = json.string()
            if pending == nil { return nil }
        }
        guard json.take("}") else { return nil }
    }
}

extension SettingLayer {
    fileprivate init?(reading json: inout JSONCursor) {
        if json.take("\"committed\"") {
            self = .committed
        } else if json.take("\"schema_default\"") {
            self = .schemaDefault
        } else if json.take("\"vendor\"") {
            self = .vendor
        } else if json.take("\"factory\"") {
            self = .factory
        } else if json.take("\"volatile\"") {
            self = .volatile
        } else {
            return nil
        }
    }
}
