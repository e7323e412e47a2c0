import CleatIO
import CleatJSON
import CleatSettings

extension ApplyReader {
    /// Reads `{ "command": ["/etc/init.d/dropbear", "restart"], "when": ["services/dropbear"], "timeout": "30s" }`.
    mutating func readCommand(_ rule: JSONObject, _ pointer: [String]) {
        let before = problems.count
        check(rule, ["command", "when", "timeout", "reboot"], pointer)
        let words = command("command", rule, pointer)
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

    /// Reads the `check` of a file, and the time limit for it: `["/usr/sbin/sshd", "-t", "-f", "{file}"]`.
    mutating func fileCheck(_ rule: JSONObject, _ pointer: [String]) -> RuleCommand? {
        guard rule["check"] != nil else {
            if rule["timeout"] != nil {
                refuse(pointer + ["timeout"], "“timeout” of a file is that of its “check”; remove it, or add a check")
            }
            return nil
        }
        let before = problems.count
        let words = command("check", rule, pointer)
        let time = timeout(rule, pointer, byDefault: 10_000)
        guard problems.count == before, let program = words.first else { return nil }
        guard words.dropFirst().contains(where: { $0.substituting(FileRule.contentName, by: "") != $0 }) else {
            refuse(
                pointer + ["check"],
                "“check” does not name the file with the new content; write \(FileRule.contentName) where the program "
                    + "expects its path")
            return nil
        }
        return RuleCommand(
            title: "check it", service: nil, program: program,
            arguments: Array(words.dropFirst()), needs: nil, timeLimit: .milliseconds(time))
    }

    private mutating func command(_ key: String, _ rule: JSONObject, _ pointer: [String]) -> [String] {
        let pointer = pointer + [key]
        guard let elements = rule[key]?.arrayValue, !elements.isEmpty else {
            refuse(
                pointer,
                "“\(key)” must be a list: the program and its arguments, as in "
                    + (key == "check"
                        ? "[\"/usr/sbin/sshd\", \"-t\", \"-f\", \"{file}\"]" : "[\"/etc/init.d/app\", \"restart\"]"))
            return []
        }
        guard elements.count <= CommandRule.arguments else {
            refuse(pointer, "“\(key)” has more than \(CommandRule.arguments) elements; put them into a script")
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

    private mutating func timeout(
        _ rule: JSONObject, _ pointer: [String], byDefault standard: Int64 = 30_000
    ) -> Int64 {
        guard let value = rule["timeout"] else { return standard }
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
