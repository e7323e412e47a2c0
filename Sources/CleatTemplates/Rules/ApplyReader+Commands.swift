import CleatIO
import CleatJSON
import CleatSettings

extension ApplyReader {
    /// Reads `{ "command": ["/etc/init.d/dropbear", "restart"], "when": ["services/dropbear"], "timeout": "30s" }`.
    mutating func readCommand(_ rule: JSONObject, _ pointer: [String]) {
        let before = problems.count
        check(rule, ["command", "when", "timeout", "reboot"], pointer)
        let words = command(rule["command"] ?? .null, pointer + ["command"])
        let trigger = trigger(rule, pointer)
        let time = timeout(rule, pointer)
        let reboot = reboot(rule, pointer)
        guard problems.count == before, let program = words.first else { return }
        add(
            CommandRule(
                when: trigger.settings, files: trigger.files,
                command: RuleCommand(
                    title: "run \(Self.shown(words.joined(separator: " ")))", service: nil, program: program,
                    arguments: Array(words.dropFirst()), needs: nil, timeLimit: .milliseconds(time)),
                reboot: reboot))
    }

    /// Reads `{ "reload": "dropbear.service" }`.
    mutating func readReload(_ rule: JSONObject, _ pointer: [String]) {
        let before = problems.count
        check(rule, ["reload", "when", "timeout"], pointer)
        let unit = text("reload", rule, pointer) ?? ""
        let characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.\\@".utf8
        let kinds = [".service", ".socket", ".target", ".timer", ".path", ".mount"]
        if problems.count == before,
            unit.utf8.count > 255 || unit.utf8.first == UInt8(ascii: "-") || !unit.utf8.allSatisfy(characters.contains)
                || !kinds.contains(where: { unit.hasSuffix($0) && unit.utf8.count > $0.utf8.count })
        {
            refuse(pointer + ["reload"], "“reload” must be the name of a unit of systemd, as in \"dropbear.service\"")
        }
        let trigger = trigger(rule, pointer)
        let time = timeout(rule, pointer)
        guard problems.count == before else { return }
        add(
            CommandRule(
                when: trigger.settings, files: trigger.files,
                command: RuleCommand(
                    title: "reload \(unit)", service: unit, program: "systemctl",
                    arguments: ["try-reload-or-restart", "--", unit], needs: "/run/systemd/system",
                    timeLimit: .milliseconds(time)), reboot: nil))
    }

    private mutating func command(_ value: JSONValue, _ pointer: [String]) -> [String] {
        guard let elements = value.arrayValue, !elements.isEmpty else {
            refuse(
                pointer,
                "“command” must be a list: the program and its arguments, as in [\"/etc/init.d/app\", \"restart\"]")
            return []
        }
        guard elements.count <= CommandRule.arguments else {
            refuse(pointer, "“command” has more than \(CommandRule.arguments) elements; put them into a script")
            return []
        }
        var words: [String] = []
        for (index, element) in elements.enumerated() {
            let place = pointer + [String(index)]
            guard let word = element.stringValue else {
                refuse(place, "an argument must be a text in quotes")
                continue
            }
            if word.utf8.count > CommandRule.argumentBytes {
                refuse(place, "the argument has more than \(CommandRule.argumentBytes) bytes; put it into a script")
            } else if word.utf8.contains(0) {
                refuse(place, "the argument holds a NUL character; remove it")
            } else if index == 0, word.utf8.first != UInt8(ascii: "/") {
                refuse(
                    place, "the program “\(Self.shown(word))” is not an absolute path; write it in full, as in /bin/sh")
            }
            words.append(word)
        }
        return words
    }

    /// Returns the triggers of a command: those of `when`, else the files of the same rules.
    private mutating func trigger(_ rule: JSONObject, _ pointer: [String]) -> (settings: [SettingPath], files: [String])
    {
        if rule["when"] != nil { return when(rule, pointer, takesFiles: true) ?? ([], []) }
        if files.isEmpty, problems.isEmpty {
            refuse(pointer, "it has no condition, since no rule here writes a file; add “when”")
        }
        return ([], files.map(\.path))
    }

    private mutating func timeout(_ rule: JSONObject, _ pointer: [String]) -> Int64 {
        guard let value = rule["timeout"] else { return 30_000 }
        let time = value.stringValue.flatMap(DurationText.milliseconds) ?? value.integerValue
        guard let time, (1...CommandRule.longestTime).contains(time) else {
            refuse(
                pointer + ["timeout"],
                "“timeout” must be a duration of 1 ms to \(DurationText.text(milliseconds: CommandRule.longestTime)), as in "
                    + "\"30s\"")
            return 0
        }
        return time
    }
}
