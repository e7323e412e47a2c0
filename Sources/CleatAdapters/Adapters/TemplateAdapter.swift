package import CleatSandbox
package import CleatSettings
package import CleatTemplates

/// Writes files and runs commands by the rules of one schema file (`x-cleat-apply`).
package struct TemplateAdapter: ComposingAdapter, DefaultingAdapter, IncrementalAdapter, CheckingAdapter,
    DisconnectingAdapter, RestrictedAdapter
{
    private let rules: ApplyRules
    /// The settings that a template or a rule's `when` names; computed once, as each changed setting is compared with
    /// them.
    package let prefixes: [SettingPath]
    /// `apply:` and the name of the schema file.
    package let name: String
    /// True if a rule has a `check`.
    private let hasChecks: Bool

    /// Creates an adapter from its rules.
    package init(_ rules: ApplyRules) {
        self.rules = rules
        hasChecks = rules.files.contains { $0.check != nil }
        let paths = rules.files.flatMap { $0.template.dependencies + $0.when } + rules.commands.flatMap(\.when)
        prefixes = Array(Set(paths)).sortedPaths()
        let file = rules.file.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? rules.file
        name = Memento.templateAdapterPrefix + (file.hasSuffix(".json") ? String(file.dropLast(5)) : file)
    }

    /// The files of the rules.
    package var files: [ManagedFileDeclaration] { rules.files.map(\.declaration) }

    /// Renders each file of which at least one setting is set above the schema's default.
    package func desired(_ settings: LayeredSettings) -> DesiredState {
        desired(settings, keeping: [:])
    }

    /// Renders only the files whose rules name one of the changed settings, or a group that one of them is in.
    package func desired(
        _ settings: LayeredSettings, from former: DesiredState, changing changes: [SettingPath]
    ) -> DesiredState {
        // It is not known which file a problem belongs to.
        guard former.problems.isEmpty else { return desired(settings) }
        let followed = Set(rules.files.indices.filter { rules.files[$0].follows(changes) })
        var state = former
        let hasReplaced = followed.allSatisfy { index in
            let rule = rules.files[index]
            guard let (wanted, path) = try? render(rule, settings) else { return false }
            return state.replace(with: wanted, of: .file(rule.path), for: path)
        }
        if hasReplaced { return state }
        // A file that comes or goes has its place between others.
        let wanted = Dictionary(former.wanted.map { ($0.resource, $0) }) { first, _ in first }
        let kept = rules.files.indices.filter { !followed.contains($0) }.map {
            ($0, wanted[.file(rules.files[$0].path)])
        }
        return desired(settings, keeping: Dictionary(kept) { first, _ in first })
    }

    /// Renders files, except those whose state is known: by their index, nil for one that is not wanted.
    private func desired(
        _ settings: LayeredSettings, keeping known: [Int: DesiredState.Wanted?]
    ) -> DesiredState {
        var state = DesiredState()
        for (index, rule) in rules.files.enumerated() {
            if let wanted = known[index] {
                if let wanted { state.want(wanted.resource, wanted.state, for: wanted.path) }
                continue
            }
            do throws(Refusal) {
                if let (wanted, path) = try render(rule, settings) { state.want(.file(rule.path), wanted, for: path) }
            } catch {
                state.refuse(error.path, error.reason)
            }
        }
        return state
    }

    /// A rule whose template cannot be rendered.
    private struct Refusal: Error {
        let path: SettingPath
        let reason: String
    }

    /// Returns the state of a rule's file, and the setting that it is written for; nil if none of its settings is set.
    private func render(
        _ rule: FileRule, _ settings: LayeredSettings
    ) throws(Refusal) -> (state: ResourceState, path: SettingPath)? {
        guard let path = rule.when.lazy.compactMap(settings.firstInForce).first else { return nil }
        do {
            let bytes = try rule.template.render(settings)
            if rule.removesEmpty, bytes.allSatisfy({ $0 == 32 || (9...13).contains($0) }) { return (.absent, path) }
            return (.file(FileState(bytes: bytes, permissions: rule.permissions, owner: rule.owner)), path)
        } catch {
            throw Refusal(
                path: error.path ?? path,
                reason: "\(error.reason); it is required by the template of \(rule.path), \(error.position)")
        }
    }

    /// Returns true if a written file contains the setting, or no file uses it; the program then applies its own
    /// default.
    package func usesDefault(of path: SettingPath, _ settings: LayeredSettings) -> Bool {
        let files = rules.files.filter { rule in rule.template.dependencies.contains { $0.isPrefix(of: path) } }
        return files.isEmpty
            || files.contains { rule in rule.when.contains { settings.firstInForce(under: $0) != nil } }
    }

    /// Returns the settings that the file's template and the `when` of its rule name.
    package func sources(of resource: Resource) -> [SettingPath] {
        rules.files.filter { resource == .file($0.path) }.flatMap { $0.template.dependencies + $0.when }
    }

    /// Returns true if the file's rule has a `check`.
    package func isChecked(_ resource: Resource) -> Bool { hasChecks && rule(of: resource)?.check != nil }

    /// Returns true if the file's rule has `guard`.
    package func mayDisconnect(_ resource: Resource) -> Bool { rule(of: resource)?.mayDisconnect ?? false }

    /// Returns false for settings of a file whose rule has `privileged`.
    package func isForOperators(_ path: SettingPath) -> Bool {
        !rules.files.contains { $0.isPrivileged && $0.follows([path]) }
    }

    private func rule(of resource: Resource) -> FileRule? {
        rules.files.first { resource == .file($0.path) }
    }

    /// Returns the `check` of the file's rule, with the path in its arguments.
    package func check(of resource: Resource, at place: String) -> ActionCommand? {
        guard var rule = rule(of: resource)?.check else { return nil }
        rule = rule.naming(place)
        var command = ActionCommand(rule)
        command.quotedLines = 5
        return command
    }

    /// Returns the commands that follow one of the changed files or settings, and the reasons for a reboot.
    package func actions(
        from old: LayeredSettings?, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] {
        actions(of: rules.commands.filter { $0.follows(changed) || $0.follows(from: old, to: new) }, changed)
    }

    /// Returns the commands, then each reason for a reboot once, those of files before those of commands.
    private func actions(of commands: [CommandRule], _ changed: Set<Resource>) -> [AdapterAction] {
        let files = rules.files.filter { changed.contains(.file($0.path)) }
        var actions: [AdapterAction] = commands.map { .command(ActionCommand($0.command)) }
        for reason in files.compactMap(\.reboot) + commands.compactMap(\.reboot) {
            let action = AdapterAction.reboot(reason)
            if !actions.contains(action) { actions.append(action) }
        }
        return actions
    }
}

extension ActionCommand {
    /// Creates the command of a rule.
    fileprivate init(_ rule: RuleCommand) {
        self.init(
            rule.title, service: rule.service, program: rule.program, rule.arguments,
            needs: rule.needs.map { RunningSign($0) },
            timeLimit: rule.timeLimit, showsOutput: rule.showsOutput)
    }
}

extension FileRule {
    /// Returns true if its template or its `when` names one of the settings, or one above or below it.
    fileprivate func follows(_ changes: [SettingPath]) -> Bool {
        (template.dependencies + when).contains { own in
            changes.contains { own.isPrefix(of: $0) || $0.isPrefix(of: own) }
        }
    }
}

extension CommandRule {
    /// Returns true if one of its files has changed.
    fileprivate func follows(_ changed: Set<Resource>) -> Bool {
        files.contains { changed.contains(.file($0)) }
    }

    /// Returns true if one of its settings has another value; without former settings it has not.
    fileprivate func follows(from old: LayeredSettings?, to new: LayeredSettings) -> Bool {
        guard let old else { return false }
        for path in when {
            let (before, after) = (old.value(at: path)?.value, new.value(at: path)?.value)
            if before != after { return true }
        }
        return false
    }
}
