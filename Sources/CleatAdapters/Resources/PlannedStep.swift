internal import CleatAPI

extension PlannedStep {
    /// The maximum number of bytes of a file that is compared line by line, and of a difference that is shown.
    private static let contentLimit = 64 << 10
    /// The maximum number of bytes of a value that is shown.
    private static let valueLimit = 1_024

    /// Creates a step for a resource that an adapter wants.
    init(_ adapter: String, _ resource: Resource, _ action: Action, note: String? = nil) {
        self.init(
            adapter: adapter, kind: resource.kind, resource: resource.description, action: action, note: note)
    }

    /// Completes the step with the difference of two files.
    ///
    /// - Parameters:
    ///   - path: the path in the heading of the difference.
    ///   - before: the present file.
    ///   - goal: the file to reach; permissions and owner that are nil are those of the present file.
    ///   - isSecret: true if a content is made of a secret.
    ///   - newPermissions: the permissions of a new file for which none are given.
    mutating func compareFiles(
        at path: String, _ before: FileLook, _ goal: FileLook, isSecret: Bool, newPermissions: UInt16 = 0o644
    ) {
        let after = goal.completed(by: before, newPermissions: newPermissions)
        action =
            switch (before, after) {
            // A secret is never reported as unchanged, so that it cannot be found by guessing.
            case _ where before == after && !(isSecret && after != .nothing): .unchanged
            case (.nothing, _): .create
            case (_, .nothing): .remove
            default: .change
            }
        guard action != .unchanged else { return }
        if before.words != after.words {
            self.before = before.words
            self.after = after.words
        }
        guard !isSecret else { return add("its content is not shown: it is made of a secret") }
        guard before.bytes != after.bytes else { return }
        guard before.isPublic, after.isPublic else {
            return add("its content is not shown: not all users may read it")
        }
        compareContents(at: path, before.bytes, after.bytes)
    }

    private mutating func compareContents(at path: String, _ before: [UInt8]?, _ after: [UInt8]?) {
        let sizes = "\(before?.count ?? 0) bytes before, \(after?.count ?? 0) after"
        let contents = [before, after].compactMap(\.self)
        guard contents.allSatisfy({ $0.count <= Self.contentLimit }) else {
            return add("its content is too long to show: \(sizes)")
        }
        guard contents.allSatisfy(Self.isText) else { return add("its content is not text: \(sizes)") }
        let difference = UnifiedDiff.text(of: path, from: before, to: after)
        guard difference.utf8.count <= Self.contentLimit else {
            return add("the difference is too long to show: \(sizes)")
        }
        diff = difference
    }

    /// Completes the step with two values, unless they are hidden.
    mutating func compareValues(_ before: [UInt8]?, _ after: [UInt8]?, isHidden: Bool) {
        let (before, after) = (before.map(Self.shown), after.map(Self.shown))
        action = before == after && before != nil && !isHidden ? .unchanged : .change
        guard !isHidden else { return add("its values are not shown: not all users may read them") }
        self.before = before
        self.after = after
    }

    /// Appends to the note.
    mutating func add(_ text: String) { note = note.map { "\($0); \(text)" } ?? text }

    /// Returns a value as text, or its size if it is too long for a plan.
    private static func shown(_ bytes: [UInt8]) -> String {
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
