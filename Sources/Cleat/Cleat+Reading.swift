import CleatAPI
import CleatJSON
public import CleatSettings

extension Cleat {
    /// Reads one setting: what is in force, or the default.
    ///
    /// - Throws: ``CleatError``: `mismatch` where the value cannot be read as the key's type, `denied` for a secret that
    ///   the program may not see.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        get async throws(CleatError) { try await backend.read(key).value }
    }

    /// Says whether a layer above the schema's defaults has a value: whether somebody set the path.
    public func isSet<Value>(_ key: SettingKey<Value>) async throws(CleatError) -> Bool {
        try await backend.get(key.path).setting.origin != .schemaDefault
    }

    /// Reads all settings at one generation, so that what is read from it belongs together.
    public func settings() async throws(CleatError) -> SettingsView {
        try await backend.view(under: nil).0
    }
}

extension SettingsBackend {
    /// Reads one setting, as it came and as the key's type.
    func read<Value>(_ key: SettingKey<Value>) async throws(CleatError) -> (json: JSONValue?, value: Value) {
        let setting = try await get(key.path).setting
        if setting.secret == true, setting.complete == nil, !revealsSecrets { throw CleatError.secret(key.path.text) }
        guard let json = setting.complete, !(key.isOptional && setting.origin == .schemaDefault) else {
            return (nil, key.defaultValue)
        }
        do {
            return (json, try json.decode(Value.self))
        } catch {
            // What cannot be read is named by the reason, and a secret may not be.
            let reason = setting.secret == true ? "" : ": \(error)"
            throw CleatError(
                .mismatch, "the value of \(key.path) cannot be read as \(Value.self)\(reason)",
                remedy: "check the key against the board's schema: `cleat describe \(key.path)`")
        }
    }
}
