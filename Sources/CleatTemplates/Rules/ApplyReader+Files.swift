import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings

extension ApplyReader {
    /// Reads a rule such as `{ "file": "/etc/default/dropbear", "escape": "shell", "template": ["A={{services/a}}"] }`.
    mutating func readFile(_ rule: JSONObject, _ pointer: [String]) {
        let before = problems.count
        check(
            rule,
            [
                "file", "template", "templateFile", "escape", "mode", "owner", "makeDirectories", "whenEmpty", "when",
                "reboot", "check", "timeout", "guard", "privileged",
            ], pointer)
        let makesParents = flag("makeDirectories", rule, pointer)
        let declaration = declaration(rule, pointer, makesParents)
        let template = template(rule, pointer)
        let permissions = permissions(rule, pointer, isSecret: template?.holdsSecrets ?? false)
        let owner = owner(rule, pointer)
        let mayDisconnect = flag("guard", rule, pointer)
        let isPrivileged = flag("privileged", rule, pointer)
        let whenEmpty = text("whenEmpty", rule, pointer) ?? "write"
        if whenEmpty != "write", whenEmpty != "remove" {
            refuse(pointer + ["whenEmpty"], "“whenEmpty” must be \"write\" or \"remove\"")
        }
        let reboot = reboot(rule, pointer)
        let check = fileCheck(rule, pointer)
        var when = when(rule, pointer, takesFiles: false)?.settings
        if rule["when"] == nil, let template {
            when = template.dependencies
            if template.dependencies.isEmpty {
                refuse(
                    pointer, "the template names no setting, so the file has no condition; add “when”")
            }
        }
        if mayDisconnect, let template,
            let path = (template.dependencies + (when ?? [])).first(where: { path in
                Self.unguarded.contains { path.segments.first == $0 }
            })
        {
            refuse(
                pointer + ["guard"],
                "the file follows “\(path)”, and changes of the group “\(path.segments[0])” are not guarded; use settings of "
                    + "your own")
        }
        guard problems.count == before, let declaration, let template, let when else { return }
        add(
            FileRule(
                path: declaration.description, template: template, permissions: permissions, owner: owner,
                removesEmpty: whenEmpty == "remove", when: when, declaration: declaration, reboot: reboot,
                check: check, mayDisconnect: mayDisconnect, isPrivileged: isPrivileged),
            at: pointer)
    }

    /// The built-in groups whose changes clients make without asking for their effect on the connection.
    private static let unguarded = ["agent", "documents", "kernel", "leds", "system", "time"]

    private mutating func declaration(
        _ rule: JSONObject, _ pointer: [String], _ makesParents: Bool
    ) -> ManagedFileDeclaration? {
        let place = pointer + ["file"]
        guard let path = text("file", rule, pointer) else { return nil }
        let shown = Self.shown(path)
        let names = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if path.utf8.first != UInt8(ascii: "/") {
            refuse(place, "“\(shown)” is not an absolute path; write it in full, as in /etc/app.conf")
        } else if path.utf8.count > FileRule.pathBytes {
            refuse(place, "the path has more than \(FileRule.pathBytes) bytes; shorten it")
        } else if path.unicodeScalars.contains(where: Self.isControl) {
            refuse(place, "the path holds a control character; remove it")
        } else if path.utf8.contains(where: "*?[]\\".utf8.contains) {
            refuse(place, "“\(shown)” holds one of * ? [ ] \\, which name no one file; write the file's own name")
        } else if names.contains(where: { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) {
            refuse(place, "“\(shown)” holds an empty name, \".\" or \"..\"; write the path that is meant")
        } else if let directory = context.forbidden(path) {
            refuse(place, "“\(shown)” is in \(directory), where no rule may write; keep the file elsewhere")
        } else {
            do {
                return try ManagedFileDeclaration(path, makesParents: makesParents)
            } catch {
                refuse(place, "“\(shown)” cannot be managed: \(error)")
            }
        }
        return nil
    }

    private mutating func template(_ rule: JSONObject, _ pointer: [String]) -> Template? {
        var escape: TemplateEscape?
        if let name = text("escape", rule, pointer) {
            escape = TemplateEscape(rawValue: name)
            if escape == nil {
                refuse(pointer + ["escape"], "“escape” must be one of \(TemplateEscape.names)")
            }
        } else if rule["escape"] == nil {
            refuse(
                pointer, "“escape” is missing; set the form of the values: \(TemplateEscape.names)")
        }
        guard let (bytes, key, hasLines) = templateText(rule, pointer), let escape else { return nil }
        do {
            return try Template(bytes, escape: escape, schema: context.schema)
        } catch {
            for problem in error.problems {
                let place = pointer + [key] + (hasLines ? [String(problem.position.line - 1)] : [])
                let name = text("templateFile", rule, pointer).map { "\($0), " } ?? "in the template, "
                refuse(place, "\(name)\(problem)")
            }
            return nil
        }
    }

    /// Returns the template's text, the key that it came from, and true if its lines are elements of a list.
    private mutating func templateText(
        _ rule: JSONObject, _ pointer: [String]
    ) -> (bytes: [UInt8], key: String, hasLines: Bool)? {
        switch (rule["template"], rule["templateFile"]) {
        case (.string(let text)?, nil): return (Array(text.utf8), "template", false)
        case (.array(let lines)?, nil):
            var bytes: [UInt8] = []
            for (index, line) in lines.enumerated() {
                let start = bytes.count
                if let text = line.stringValue { bytes += text.utf8 }
                guard line.stringValue != nil, !bytes[start...].contains(10) else {
                    refuse(
                        pointer + ["template", String(index)],
                        "a line of the template must be a text without line breaks")
                    return nil
                }
                bytes.append(10)
            }
            return (bytes, "template", true)
        case (nil, .string(let name)?):
            let place = pointer + ["templateFile"]
            guard !name.utf8.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0), name != "..",
                name != "."
            else {
                refuse(
                    place,
                    "“templateFile” must be the name of a file in the schema's own directory, as in \"app.conf.in\"")
                return nil
            }
            do throws(ApplyTemplateError) {
                return (try context.template(name), "templateFile", false)
            } catch {
                refuse(place, error.message)
                return nil
            }
        case (nil, nil):
            refuse(pointer, "“template” is missing; write the file's text, or “templateFile” with the name of one")
        case (_?, _?): refuse(pointer, "“template” and “templateFile” exclude each other; remove one")
        case (_?, nil): refuse(pointer + ["template"], "“template” must be a text, or a list of its lines")
        case (nil, _?): refuse(pointer + ["templateFile"], "“templateFile” must be a text in quotes")
        }
        return nil
    }

    private mutating func permissions(_ rule: JSONObject, _ pointer: [String], isSecret: Bool) -> UInt16 {
        guard let text = text("mode", rule, pointer) else { return isSecret ? 0o600 : 0o644 }
        let place = pointer + ["mode"]
        guard (3...4).contains(text.utf8.count), let mode = UInt16(text, radix: 8), mode <= 0o777,
            text.utf8.first != UInt8(ascii: "+")
        else {
            refuse(place, "“mode” must be three or four digits of permission bits in quotes, as in \"0644\"")
            return 0
        }
        if mode & 0o002 != 0 {
            refuse(place, "“mode” lets everyone write the file; subtract 2 from its last digit")
        } else if isSecret, mode & 0o004 != 0 {
            refuse(place, "the template holds a secret and “mode” lets everyone read it; write \"0600\" or \"0640\"")
        }
        return mode
    }

    /// Reads an owner, `user:group`, as names or numbers.
    private mutating func owner(_ rule: JSONObject, _ pointer: [String]) -> FileOwner? {
        guard let text = text("owner", rule, pointer) else { return nil }
        let place = pointer + ["owner"]
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts.contains("") else {
            refuse(place, "“owner” must be a user and a group, names or numbers, as in \"root:root\"")
            return nil
        }
        // The greatest number means "unchanged" to chown(2).
        func number(_ text: String) -> UInt32? { UInt32(text).flatMap { $0 == .max ? nil : $0 } }
        var (user, group) = (number(parts[0]), number(parts[1]))
        if let users = context.users {
            user = user ?? UserDatabase.uid(of: parts[0], directory: users)
            group = group ?? UserDatabase.gid(ofGroup: parts[1], directory: users)
        } else {
            // Only the form is checked.
            (user, group) = (user ?? 0, group ?? 0)
        }
        if user == nil { refuse(place, "no user is called “\(Self.shown(parts[0]))” here; add one, or write a number") }
        if group == nil {
            refuse(place, "no group is called “\(Self.shown(parts[1]))” here; add one, or write a number")
        }
        guard let user, let group else { return nil }
        return FileOwner(user: user, group: group)
    }
}
