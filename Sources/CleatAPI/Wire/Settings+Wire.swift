package import CleatJSON

extension SettingInfo: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = ["path": .string(path)]
        if let value { object["value"] = value }
        object["origin"] = .string(origin.rawValue)
        object["in_force"] = .bool(inForce)
        if let inactive { object["inactive"] = .string(inactive) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        guard let origin = Origin(rawValue: try wire.text("origin")) else { throw WireError(member: "origin") }
        self.init(
            path: try wire.text("path"), value: wire.value("value"), origin: origin, inForce: try wire.flag("in_force"),
            inactive: try wire.optional("inactive", \.stringValue))
    }
}

extension ChangeRecord: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = ["path": .string(path)]
        if let old { object["old"] = old }
        if let new { object["new"] = new }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        self.init(path: try wire.text("path"), old: wire.value("old"), new: wire.value("new"))
    }
}

extension RequestedChange: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = ["path": .string(path)]
        if let value { object["value"] = value }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        self.init(path: try wire.text("path"), value: wire.value("value"))
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
