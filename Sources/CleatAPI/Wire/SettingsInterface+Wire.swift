package import CleatJSON

extension SettingsInterface.Get.Parameters: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = ["path": .string(path)]
        if let reveal { object["reveal"] = .bool(reveal) }
        if let asksForDefault { object["default"] = .bool(asksForDefault) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        self.init(
            path: try wire.text("path"), reveal: try wire.optional("reveal", \.boolValue),
            asksForDefault: try wire.optional("default", \.boolValue))
    }
}

extension SettingsInterface.Get.Reply: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = [
            "store": .string(store), "generation": .integer(generation), "leaf": .bool(leaf),
            "setting": .object(setting.wire),
        ]
        if let note { object["note"] = .string(note) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        self.init(
            store: try wire.text("store"), generation: try wire.number("generation"), leaf: try wire.flag("leaf"),
            setting: try SettingInfo(wire: try wire.object("setting")),
            note: try wire.optional("note", \.stringValue))
    }
}

extension SettingsInterface.Set.Parameters: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = ["changes": .array(changes.map { .object($0.wire) })]
        if let id { object["id"] = .string(id) }
        if let expect { object["expect"] = .object(expect.wire) }
        if let comment { object["comment"] = .string(comment) }
        if let volatile { object["volatile"] = .bool(volatile) }
        if let check { object["check"] = .bool(check) }
        if let confirm { object["confirm"] = .integer(confirm) }
        if let plan { object["plan"] = .bool(plan) }
        if let rehearse { object["rehearse"] = .bool(rehearse) }
        if let until { object["until"] = .array(until.map { .string($0) }) }
        if let uploads { object["uploads"] = .array(uploads.map { .string($0) }) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        var expect: GenerationRef?
        if wire.value("expect") != nil { expect = try GenerationRef(wire: try wire.object("expect")) }
        self.init(
            changes: try wire.list("changes"), id: try wire.optional("id", \.stringValue), expect: expect,
            comment: try wire.optional("comment", \.stringValue),
            volatile: try wire.optional("volatile", \.boolValue), check: try wire.optional("check", \.boolValue),
            confirm: try wire.optional("confirm", \.integerValue), plan: try wire.optional("plan", \.boolValue),
            rehearse: try wire.optional("rehearse", \.boolValue), until: try wire.optionalTexts("until"),
            uploads: try wire.optionalTexts("uploads"))
    }
}

extension SettingsInterface.Set.Reply: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = [
            "id": .string(id), "store": .string(store), "generation": .integer(generation),
            "state": .string(state.rawValue), "changes": .array(changes.map { .object($0.wire) }),
            "results": .array(results.map { .object($0.wire) }),
        ]
        if let omitted { object["omitted"] = .integer(Int64(omitted)) }
        if let volatile { object["volatile"] = .bool(volatile) }
        if let window { object["window"] = .integer(window) }
        if let plan { object["plan"] = .object(plan.wire) }
        if let rehearsal { object["rehearsal"] = .array(rehearsal.map { .object($0.wire) }) }
        if let probes { object["probes"] = .array(probes.map { .object($0.wire) }) }
        if let overtaken { object["overtaken"] = .string(overtaken) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        guard let state = CommitState(rawValue: try wire.text("state")) else { throw WireError(member: "state") }
        var plan: ChangePlan?
        if wire.value("plan") != nil { plan = try ChangePlan(wire: try wire.object("plan")) }
        var rehearsal: [RehearsedStep]?
        if wire.value("rehearsal") != nil { rehearsal = try wire.list("rehearsal") }
        self.init(
            id: try wire.text("id"), store: try wire.text("store"), generation: try wire.number("generation"),
            state: state, changes: try wire.list("changes"), results: try wire.list("results"),
            omitted: try wire.optional("omitted", \.intValue),
            volatile: try wire.optional("volatile", \.boolValue), window: try wire.optional("window", \.integerValue),
            plan: plan, rehearsal: rehearsal,
            probes: wire.value("probes") == nil ? nil : try wire.list("probes"))
        overtaken = try wire.optional("overtaken", \.stringValue)
    }
}
