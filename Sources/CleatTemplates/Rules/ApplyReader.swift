import CleatJSON
import CleatSettings

/// Reads the rules of a schema file and collects all errors in them.
struct ApplyReader {
    let context: ApplyContext
    private(set) var problems: [ApplyError] = []
    private(set) var files: [FileRule] = []
    private(set) var commands: [CommandRule] = []

    init(context: ApplyContext) {
        self.context = context
    }

    mutating func refuse(_ pointer: [String], _ message: String) {
        problems.append(ApplyError(pointer: pointer, position: nil, message: message))
    }

    /// Refuses rules below the top level of the schema, where they would have no effect.
    mutating func refuseElsewhere(_ schema: JSONValue, at pointer: [String] = []) {
        guard let members = schema.objectValue, pointer.count < 64 else { return }
        if !pointer.isEmpty, members[ApplyRules.keyword] != nil {
            refuse(
                pointer + [ApplyRules.keyword],
                "“\(ApplyRules.keyword)” is valid at the top of the file only; move it there")
        }
        for (key, value) in members {
            switch key {
            case "properties", "patternProperties", "$defs":
                for (name, member) in value.objectValue ?? JSONObject() {
                    refuseElsewhere(member, at: pointer + [key, name])
                }
            case "additionalProperties", "items": refuseElsewhere(value, at: pointer + [key])
            default: break
            }
        }
    }

    /// Reads the list of rules; file rules come before command rules, since commands may name the files.
    mutating func read(_ value: JSONValue) {
        let top = [ApplyRules.keyword]
        guard let rules = value.arrayValue else {
            return refuse(
                top, "“\(ApplyRules.keyword)” must be a list of rules, as in [ { \"file\": \"/etc/app.conf\", … } ]")
        }
        guard rules.count <= ApplyRules.maximumCount else {
            return refuse(top, "there are more than \(ApplyRules.maximumCount) rules; put some into another file")
        }
        var others: [(rule: JSONObject, pointer: [String])] = []
        for (index, rule) in rules.enumerated() {
            let pointer = top + [String(index)]
            guard let members = rule.objectValue else {
                refuse(pointer, "a rule must be an object with “file”, “command” or “reload”")
                continue
            }
            switch ["file", "command", "reload"].filter({ members[$0] != nil }) {
            case ["file"]: readFile(members, pointer)
            case ["command"], ["reload"]: others.append((members, pointer))
            default: refuse(pointer, "a rule must have exactly one of “file”, “command” and “reload”")
            }
        }
        for (rule, pointer) in others {
            if rule["command"] != nil { readCommand(rule, pointer) } else { readReload(rule, pointer) }
        }
    }

    mutating func add(_ file: FileRule, at pointer: [String]) {
        if files.contains(where: { ByteOrder.areEqual($0.path, file.path) }) {
            return refuse(pointer + ["file"], "\(file.path) is the file of another rule, too; remove one of them")
        }
        files.append(file)
    }

    mutating func add(_ command: CommandRule) { commands.append(command) }

    // MARK: Members

    /// Refuses unknown members.
    mutating func check(_ rule: JSONObject, _ known: [String], _ pointer: [String]) {
        for (key, _) in rule where !known.contains(key) {
            refuse(
                pointer + [key],
                "“\(Self.shown(key))” is not a member here; the members are \(known.joined(separator: ", "))")
        }
    }

    /// Returns the text of a member; nil if it is missing, or not a text, which is recorded as an error.
    mutating func text(_ key: String, _ rule: JSONObject, _ pointer: [String]) -> String? {
        guard let value = rule[key] else { return nil }
        guard let text = value.stringValue else {
            refuse(pointer + [key], "“\(key)” must be a text in quotes")
            return nil
        }
        return text
    }

    mutating func flag(_ key: String, _ rule: JSONObject, _ pointer: [String]) -> Bool {
        guard let value = rule[key] else { return false }
        guard let flag = value.boolValue else {
            refuse(pointer + [key], "“\(key)” must be true or false")
            return false
        }
        return flag
    }

    /// Returns the reason why a rule needs a reboot; nil if none is given, or it is invalid, which is recorded as an
    /// error.
    mutating func reboot(_ rule: JSONObject, _ pointer: [String]) -> String? {
        guard let reason = text("reboot", rule, pointer) else { return nil }
        let place = pointer + ["reboot"]
        if reason.utf8.count > ApplyRules.reasonBytes {
            refuse(place, "“reboot” has more than \(ApplyRules.reasonBytes) bytes; shorten it")
        } else if reason.unicodeScalars.contains(where: Self.isControl) {
            refuse(place, "“reboot” holds a control character; remove it")
        } else if reason.unicodeScalars.allSatisfy({ $0.properties.isWhitespace }) {
            refuse(place, "“reboot” must say why it is needed, as in \"the boot loader reads it\"")
        } else {
            return reason
        }
        return nil
    }

    /// Returns the settings, and where allowed the files, that `when` names; nil if it is missing or invalid.
    mutating func when(
        _ rule: JSONObject, _ pointer: [String], takesFiles: Bool
    ) -> (settings: [SettingPath], files: [String])? {
        guard let value = rule["when"] else { return nil }
        guard let elements = value.arrayValue, !elements.isEmpty, elements.count <= 64 else {
            refuse(pointer + ["when"], "“when” must be a list of 1 to 64 settings, as in [\"services/dropbear\"]")
            return nil
        }
        var result: (settings: [SettingPath], files: [String]) = ([], [])
        for (index, element) in elements.enumerated() {
            let place = pointer + ["when", String(index)]
            guard let text = element.stringValue else {
                refuse(place, "“when” must hold texts in quotes")
                continue
            }
            if takesFiles, text.utf8.first == UInt8(ascii: "/") {
                if files.contains(where: { ByteOrder.areEqual($0.path, text) }) {
                    result.files.append(text)
                } else {
                    refuse(place, "no rule of this file makes \(Self.shown(text)); name one that does, or a setting")
                }
                continue
            }
            do {
                let path = try SettingPath(text)
                if context.schema.lookup(path) != nil {
                    result.settings.append(path)
                } else {
                    let similar = context.schema.suggestion(for: path).map { "; did you mean “\($0)”?" } ?? ""
                    refuse(place, "no setting or group is called “\(Self.shown(text))”\(similar)")
                }
            } catch {
                refuse(place, "“when” does not name a valid path of a setting: \(error)")
            }
        }
        return result
    }

    /// Returns true for the control characters of Unicode, all of which are below U+00A0.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0xa0 && scalar.properties.generalCategory == .control
    }

    /// Shortens text from the file to one printable line for a message.
    static func shown(_ text: String) -> String {
        if text.utf8.count <= 80, text.utf8.allSatisfy({ (32..<127).contains($0) }) { return text }
        let printable = text.unicodeScalars.prefix(80).map { $0.value < 32 || $0.value == 127 ? "?" : String($0) }
        return printable.joined() + (text.unicodeScalars.count > 80 ? "…" : "")
    }
}
