package import CleatJSON
import CleatSettings

extension SettingInfo: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = ["path": .string(path)]
        if let value { object["value"] = value }
        if let withDefaults { object["with_defaults"] = withDefaults }
        object["origin"] = .string(origin.rawValue)
        object["in_force"] = .bool(inForce)
        if let inactive { object["inactive"] = .string(inactive) }
        if let secret { object["secret"] = .bool(secret) }
        if let lock { object["lock"] = .string(lock.rawValue) }
        if let pending { object["pending"] = .string(pending) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        guard let origin = SettingLayer(rawValue: try wire.text("origin")) else { throw WireError(member: "origin") }
        var lock: SettingLayer?
        if let text = try wire.optional("lock", \.stringValue) {
            lock = SettingLayer(rawValue: text)
            if lock == nil { throw WireError(member: "lock") }
        }
        self.init(
            path: try wire.text("path"), value: wire.value("value"), origin: origin,
            inForce: try wire.flag("in_force"),
            inactive: try wire.optional("inactive", \.stringValue),
            secret: try wire.optional("secret", \.boolValue), lock: lock,
            pending: try wire.optional("pending", \.stringValue))
        withDefaults = wire.value("with_defaults")
    }
}

extension ChangeRecord: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = ["path": .string(path)]
        if let old { object["old"] = old }
        if let new { object["new"] = new }
        if let inForce { object["in_force"] = .object(inForce.wire) }
        if let before { object["before"] = .object(before.wire) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        func info(_ member: String) throws(WireError) -> SettingInfo? {
            wire.value(member) == nil ? nil : try SettingInfo(wire: try wire.object(member))
        }
        self.init(
            path: try wire.text("path"), old: wire.value("old"), new: wire.value("new"),
            inForce: try info("in_force"), before: try info("before"))
    }
}

extension ProbeReport: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = ["probe": .string(probe), "state": .string(state.rawValue)]
        if let message { object["message"] = .string(message) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        guard let state = State(rawValue: try wire.text("state")) else { throw WireError(member: "state") }
        self.init(
            probe: try wire.text("probe"), state: state, message: try wire.optional("message", \.stringValue))
    }
}

extension RequestedChange: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = ["path": .string(path)]
        if let value { object["value"] = value }
        if let operation { object["operation"] = .string(operation.rawValue) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        var operation: Operation?
        if let text = try wire.optional("operation", \.stringValue) {
            operation = Operation(rawValue: text)
            if operation == nil { throw WireError(member: "operation") }
        }
        self.init(path: try wire.text("path"), value: wire.value("value"), operation: operation)
    }
}

extension GenerationRef: WireValue {
    package var wire: JSONObject { ["store": .string(store), "generation": .integer(generation)] }

    package init(wire: JSONObject) throws(WireError) {
        self.init(store: try wire.text("store"), generation: try wire.number("generation"))
    }
}

extension AdapterResult: WireValue {
    package var wire: JSONObject {
        ["adapter": .string(adapter), "state": .string(state.rawValue), "message": .string(message)]
    }

    package init(wire: JSONObject) throws(WireError) {
        guard let state = State(rawValue: try wire.text("state")) else { throw WireError(member: "state") }
        self.init(adapter: try wire.text("adapter"), state: state, message: try wire.text("message"))
    }
}
