internal import CleatSandbox
internal import SystemPackage

extension SystemResources {
    /// The maximum number of bytes of a file that is compared line by line, and of a difference that is shown.
    private static let contentLimit = 64 << 10
    /// The maximum number of bytes of a value that is shown.
    private static let valueLimit = 1_024

    /// Describes the effect of a step of a change on its resource; nothing is written.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - adapter: the adapter that wants it.
    ///   - origin: the state before Cleat changed the resource, if the step restores it.
    ///   - isSecret: true if the present or the new content is made of a secret.
    /// - Returns: the planned step.
    /// - Throws: the reason why the resource cannot be captured, and so could not be changed.
    package func plan(
        _ step: SystemChange.Step, of adapter: String, origin: Memento?, isSecret: Bool
    ) throws(ResourceError) -> PlannedStep {
        let resource = step.resource
        if let reason = reasonToSkip(resource) { return PlannedStep(adapter, resource, .skipped, note: reason) }
        let before = try capture(step, for: adapter)
        if case .attribute = resource, step.bringsOriginBack, before.isNothing {
            return PlannedStep(adapter, resource, .skipped, note: "it is not here any more")
        }
        if before.isAbsentInterface {
            return PlannedStep(adapter, resource, .skipped, note: Self.absenceOfInterface)
        }
        var planned = PlannedStep(adapter, resource, .change)
        let goal: Goal
        if !step.bringsOriginBack, let after = step.after {
            if case .kept = after {
                return PlannedStep(adapter, resource, .skipped, note: "it changes with others of \(adapter)")
            }
            goal = .state(after)
        } else if let origin {
            goal = .memento(origin)
            planned.note = "as it was before Cleat changed it"
        } else {
            return PlannedStep(
                adapter, resource, .skipped, note: "what it was before Cleat changed it is not known")
        }
        switch resource {
        case .document:
            compareFiles(Look(before), goal.look(contents), isSecret: isSecret, isDocument: true, in: &planned)
        case .file(let path):
            compareFiles(Look(before), goal.look(contents), isSecret: isSecret, in: &planned)
            if planned.action != .unchanged, let target = files.target(of: path) {
                let note = "it is a link to \(target), and that is what is written"
                planned.note = planned.note.map { "\($0); \(note)" } ?? note
            }
        case .link: compareFiles(Look(before), goal.look(contents), isSecret: isSecret, in: &planned)
        case .line(let path, let word):
            try compareLines(path, word, goal.bytes, isSecret: isSecret, in: &planned)
        case .interface:
            planned.note = planned.note ?? "its state, MTU, addresses and routes are set as the settings say"
        case .attribute, .hostName:
            let isOpen = try isPublic(resource)
            compareValues(before.value, goal.bytes.map(Self.shown), isHidden: isSecret || !isOpen, in: &planned)
        }
        return planned
    }

    /// The state that a resource is to reach.
    private enum Goal {
        case state(ResourceState)
        case memento(Memento)

        func look(_ contents: DocumentContents) -> Look {
            switch self {
            case .state(.file(let file)): .file(file.bytes, permissions: file.permissions, owner: file.owner)
            case .state(.link(let target)): .link(target)
            case .state(.content(let hash)): .file(contents[hash] ?? [], permissions: nil, owner: nil)
            case .state: .nothing
            case .memento(let memento): Look(memento)
            }
        }

        /// The value or the line; nil if there is none.
        var bytes: [UInt8]? {
            switch self {
            case .state(.text(let text)): Array(text.utf8)
            case .memento(let memento):
                if case .bytes(let bytes) = memento.content { bytes } else { nil }
            default: nil
            }
        }
    }

    /// The object at a path; permissions and owner that are nil are those of a file that is already there.
    private enum Look: Equatable {
        case nothing
        case file([UInt8], permissions: UInt16?, owner: FileOwner?)
        case link(String)

        init(_ memento: Memento) {
            self = .nothing
            if case .file(let bytes, let permissions, let owner) = memento.document {
                self = .file(bytes, permissions: permissions, owner: owner)
            }
            guard case .file(let file) = memento.content else { return }
            if let content = file.content {
                self = .file(content.bytes, permissions: content.permissions, owner: content.owner)
            } else if let target = file.linkTarget {
                self = .link(target)
            }
        }

        /// Returns the state with unset permissions and owner taken from the present file.
        func completed(by other: Look, newPermissions: UInt16) -> Look {
            guard case .file(let bytes, let permissions, let owner) = self else { return self }
            guard case .file(_, let present, let holder) = other else {
                return .file(bytes, permissions: permissions ?? newPermissions, owner: owner)
            }
            return .file(bytes, permissions: permissions ?? present, owner: owner ?? holder)
        }

        var bytes: [UInt8]? {
            if case .file(let bytes, _, _) = self { bytes } else { nil }
        }

        /// False if it is a file that not everybody may read.
        var isPublic: Bool {
            if case .file(_, let permissions?, _) = self { permissions & 0o004 != 0 } else { true }
        }

        /// The state in one line, without a file's content.
        var words: String? {
            switch self {
            case .nothing: nil
            case .link(let target): "a link to \(target)"
            case .file(_, let permissions, let owner):
                "a file" + (permissions.map { " of mode 0\(String($0, radix: 8))" } ?? "")
                    + (owner.map { ", owner \($0.user):\($0.group)" } ?? "")
            }
        }
    }

    private func compareFiles(
        _ before: Look, _ goal: Look, isSecret: Bool, isDocument: Bool = false, in planned: inout PlannedStep
    ) {
        let after = goal.completed(by: before, newPermissions: isDocument ? 0o640 : 0o644)
        planned.action =
            switch (before, after) {
            // A secret is never reported as unchanged, so that it cannot be found by guessing.
            case _ where before == after && !(isSecret && after != .nothing): .unchanged
            case (.nothing, _): .create
            case (_, .nothing): .remove
            default: .change
            }
        guard planned.action != .unchanged else { return }
        if before.words != after.words {
            planned.before = before.words
            planned.after = after.words
        }
        guard !isSecret else { return planned.add("its content is not shown: it is made of a secret") }
        guard before.bytes != after.bytes else { return }
        guard before.isPublic, after.isPublic else {
            return planned.add("its content is not shown: not everybody may read it")
        }
        compareContents(before.bytes, after.bytes, in: &planned)
    }

    private func compareContents(_ before: [UInt8]?, _ after: [UInt8]?, in planned: inout PlannedStep) {
        let sizes = "\(before?.count ?? 0) bytes before, \(after?.count ?? 0) after"
        let contents = [before, after].compactMap(\.self)
        guard contents.allSatisfy({ $0.count <= Self.contentLimit }) else {
            return planned.add("its content is too long to show: \(sizes)")
        }
        guard contents.allSatisfy(Self.isText) else { return planned.add("its content is no text: \(sizes)") }
        let difference = UnifiedDiff.text(of: planned.resource.diffPath, from: before, to: after)
        guard difference.utf8.count <= Self.contentLimit else {
            return planned.add("the difference is too long to show: \(sizes)")
        }
        planned.difference = difference
    }

    /// Compares the whole file, with the line replaced.
    private func compareLines(
        _ path: String, _ word: String, _ line: [UInt8]?, isSecret: Bool, in planned: inout PlannedStep
    ) throws(ResourceError) {
        let file = try capture(.file(path), for: planned.adapter)
        guard let line, let text = Look(file).bytes, let found = FileLine(word, in: text) else {
            planned = PlannedStep(planned.adapter, planned.resource, .skipped, note: "the file has no such line")
            return
        }
        compareFiles(
            Look(file), .file(found.replaced(by: line, in: text), permissions: nil, owner: nil), isSecret: isSecret,
            in: &planned)
    }

    private func compareValues(
        _ before: String?, _ after: String?, isHidden: Bool, in planned: inout PlannedStep
    ) {
        planned.action = before == after && before != nil && !isHidden ? .unchanged : .change
        guard !isHidden else { return planned.add("its values are not shown: not everybody may read them") }
        planned.before = before
        planned.after = after
    }

    /// Returns true if everybody may read a value of the kernel; true for any other resource.
    package func isPublic(_ resource: Resource) throws(ResourceError) -> Bool {
        guard case .attribute(let path) = resource else { return true }
        do throws(Errno) {
            return try kernel.isPublic(attribute: path)
        } catch {
            throw ResourceError(.look, kernel: resource, error)
        }
    }

    /// Returns a value as text, or its size if it is too long for a plan.
    fileprivate static func shown(_ bytes: [UInt8]) -> String {
        let value = AttributeText.value(of: bytes)
        guard value.count > valueLimit else { return String(decoding: value, as: UTF8.self) }
        return "\(value.count) bytes"
    }

    /// Returns true if bytes can be shown as lines of text.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        let controls: Set<UInt8> = [0x09, 0x0a, 0x0d]
        return bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f || controls.contains($0) }
            && String(validating: bytes, as: UTF8.self) != nil
    }
}

extension Memento {
    /// The captured kernel value or line as text; nil for any other content.
    fileprivate var value: String? {
        if case .bytes(let bytes) = content { SystemResources.shown(bytes) } else { nil }
    }
}

extension PlannedStep {
    /// Appends to the note.
    fileprivate mutating func add(_ text: String) {
        note = note.map { "\($0); \(text)" } ?? text
    }
}
