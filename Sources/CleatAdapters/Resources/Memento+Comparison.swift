package import CleatSandbox

extension Memento {
    /// Returns true if both hold the same state of the same resource, for any adapters.
    ///
    /// A memento that could not be captured, as under a root directory, equals every other one of its resource.
    package func isSame(as other: Memento) -> Bool {
        resource == other.resource
            && (content == other.content || isNothing || other.isNothing)
    }

    /// True if it holds a file that not all users could read.
    package var isHiddenFromOthers: Bool {
        document?.isHidden ?? file?.isHiddenFromOthers ?? false
    }

    /// The special mode bits, or the first extended attribute outside `user.`, of a captured file, for users; nil if it
    /// has none.
    package var specialRight: String? { file?.specialRight }

    /// The owner of the captured file or document, and its mode; nil for any other resource.
    package var rights: (owner: FileOwner, permissions: UInt16?)? { content.rights }

    /// Returns the first right that a restore would give, and that the adapter or rule does not declare.
    ///
    /// - Parameters:
    ///   - state: the desired state of the resource by the settings.
    ///   - service: the owner of files without a declared owner.
    /// - Returns: the right, for users; nil if there is none.
    package func undeclaredRight(besides state: ResourceState, service: FileOwner) -> String? {
        guard let rights else { return nil }
        var (owner, mode): (FileOwner, UInt16?) = (service, nil)
        if case .file(let file) = state { (owner, mode) = (file.owner ?? service, file.permissions ?? 0o644) }
        if rights.owner != owner {
            return
                "the owner \(rights.owner.user):\(rights.owner.group), where \(owner.user):\(owner.group) is declared"
        }
        guard let permissions = rights.permissions else { return nil }
        func shown(_ mode: UInt16) -> String { "0" + String(mode, radix: 8) }
        if permissions & 0o7000 != 0 { return "the mode \(shown(permissions))" }
        guard let mode, permissions != mode else { return nil }
        return "the mode \(shown(permissions)), where \(shown(mode)) is declared"
    }

    /// Returns true if the captured state differs from a desired state; nil if that is unknown.
    package func differs(from state: ResourceState) -> Bool? { resource.handler.differs(content, from: state) }

    /// The prefix of the names of adapters that write templates of schema files.
    static let templateAdapterPrefix = "apply:"

    /// The state to restore when nothing wants the resource any more: absence, if Cleat itself had written the file.
    ///
    /// Files of templates are excluded: the manufacturer's template may begin with the same text.
    package var asOrigin: Memento {
        guard !adapter.hasPrefix(Self.templateAdapterPrefix), let file, file.begins(with: WrittenByCleat.mark)
        else { return self }
        return Memento(adapter: adapter, resource: resource, content: .file(file.absence))
    }

    /// Returns a description of the difference, without any content.
    func difference(from now: Memento) -> String {
        guard let before = file, let after = now.file else {
            return "its value has changed"
        }
        guard let old = before.content, let new = after.content else {
            if before.isAbsence, after.isAbsence { return "directories were missing, and exist now" }
            if before.isAbsence { return "it did not exist, and exists now" }
            if after.isAbsence { return "it existed, and does not exist any more" }
            if let old = before.linkTarget, let new = after.linkTarget, old != new {
                return "it was a link to \(old), and is one to \(new)"
            }
            return before.linkTarget == nil || after.linkTarget == nil
                ? "it is no longer of the same kind" : "its owner has changed"
        }
        var parts: [String] = []
        if old.bytes != new.bytes {
            parts.append("its content differs (\(old.bytes.count) bytes before, \(new.bytes.count) now)")
        }
        if old.permissions != new.permissions {
            parts.append(
                "its mode was 0\(String(old.permissions, radix: 8)), and is 0\(String(new.permissions, radix: 8))")
        }
        if old.owner != new.owner { parts.append("its owner has changed") }
        if old.attributes != new.attributes { parts.append("its extended attributes differ") }
        return parts.joined(separator: "; ")
    }
}
