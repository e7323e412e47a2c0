import CleatAPI
import CleatIO
import CleatSandbox

extension FileInfo {
    /// Describes the file at a path.
    init(_ path: SandboxPath, _ attributes: FileAttributes) {
        let digits = String(attributes.permissions & 0o7777, radix: 8)
        let kind: Kind =
            switch attributes.type {
            case .regular: .file
            case .directory: .directory
            case .symbolicLink: .link
            default: .other
            }
        let milliseconds = attributes.modified.seconds.multipliedReportingOverflow(by: 1000)
        let modified = WallTime(
            milliseconds: milliseconds.overflow
                ? 0 : milliseconds.partialValue &+ Int64(attributes.modified.nanoseconds / 1_000_000))
        self.init(
            path: path.text, type: kind, size: kind == .file ? attributes.size : 0,
            mode: String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits,
            uid: Int(attributes.owner.user), gid: Int(attributes.owner.group), links: Int(clamping: attributes.links),
            modified: modified.description)
    }
}

extension FileAttributes {
    /// A token for the contents: a file that was replaced, or written to, has another one.
    var token: String {
        let numbers = [
            identity.device, identity.inode, UInt64(bitPattern: size), UInt64(bitPattern: modified.seconds),
            UInt64(modified.nanoseconds), UInt64(bitPattern: changed.seconds), UInt64(changed.nanoseconds),
        ]
        return numbers.map { String($0, radix: 36) }.joined(separator: "-")
    }
}
