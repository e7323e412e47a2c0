package import CleatJSON

extension ChangePlan: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = [
            "steps": .array(steps.map { .object($0.wire) }), "actions": .array(actions.map { .object($0.wire) }),
            "links": .array(links.map(JSONValue.string)), "connection": .string(connection.rawValue),
            "reason": .string(reason), "notes": .array(notes.map(JSONValue.string)),
        ]
        if let omitted { object["omitted"] = .integer(Int64(omitted)) }
        if let reach { object["reach"] = .object(reach.wire) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        guard let connection = Connection(rawValue: try wire.text("connection")) else {
            throw WireError(member: "connection")
        }
        var reach: Reach?
        if wire.value("reach") != nil { reach = try Reach(wire: try wire.object("reach")) }
        self.init(
            steps: try wire.list("steps"), actions: try wire.list("actions"), links: try wire.texts("links"),
            connection: connection, reason: try wire.text("reason"), notes: try wire.texts("notes"),
            omitted: try wire.optional("omitted", \.intValue), reach: reach)
    }
}

extension Reach: WireValue {
    package var wire: JSONObject {
        [
            "link": .string(link), "address": .string(address), "old": .array(old.map(JSONValue.string)),
            "new": .array(new.map(JSONValue.string)),
        ]
    }

    package init(wire: JSONObject) throws(WireError) {
        self.init(
            link: try wire.text("link"), address: try wire.text("address"), old: try wire.texts("old"),
            new: try wire.texts("new"))
    }
}

extension PlannedStep: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = [
            "adapter": .string(adapter), "kind": .string(kind), "resource": .string(resource),
            "action": .string(action.rawValue),
        ]
        if let before { object["before"] = .string(before) }
        if let after { object["after"] = .string(after) }
        if let diff { object["diff"] = .string(diff) }
        if let note { object["note"] = .string(note) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        guard let action = Action(rawValue: try wire.text("action")) else { throw WireError(member: "action") }
        self.init(
            adapter: try wire.text("adapter"), kind: try wire.text("kind"), resource: try wire.text("resource"),
            action: action, before: try wire.optional("before", \.stringValue),
            after: try wire.optional("after", \.stringValue), diff: try wire.optional("diff", \.stringValue),
            note: try wire.optional("note", \.stringValue))
    }
}

extension PlannedAction: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = [
            "adapter": .string(adapter), "kind": .string(kind.rawValue), "title": .string(title),
        ]
        if let service { object["service"] = .string(service) }
        if let program { object["program"] = .string(program) }
        if let note { object["note"] = .string(note) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        guard let kind = Kind(rawValue: try wire.text("kind")) else { throw WireError(member: "kind") }
        self.init(
            adapter: try wire.text("adapter"), kind: kind, title: try wire.text("title"),
            service: try wire.optional("service", \.stringValue),
            program: try wire.optional("program", \.stringValue), note: try wire.optional("note", \.stringValue))
    }
}

extension RehearsedStep: WireValue {
    package var wire: JSONObject {
        [
            "adapter": .string(adapter), "kind": .string(kind), "resource": .string(resource),
            "state": .string(state.rawValue), "message": .string(message),
        ]
    }

    package init(wire: JSONObject) throws(WireError) {
        guard let state = State(rawValue: try wire.text("state")) else { throw WireError(member: "state") }
        self.init(
            adapter: try wire.text("adapter"), kind: try wire.text("kind"), resource: try wire.text("resource"),
            state: state, message: try wire.text("message"))
    }
}

extension JSONObject {
    /// Reads a list of strings.
    fileprivate func texts(_ key: String) throws(WireError) -> [String] {
        guard let values = self[key]?.arrayValue else { throw WireError(member: key) }
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count else { throw WireError(member: key) }
        return texts
    }
}
