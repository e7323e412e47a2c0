internal import CleatSandbox

extension ResourceState {
    /// The SHA-256 of all parts of the state, in 64 hexadecimal digits, the same in every release.
    package var fingerprint: String {
        let bytes: [UInt8] =
            switch self {
            case .file(let file):
                Array(
                    "file \(file.owner.map { "\($0.user) \($0.group)" } ?? "-") "
                        .utf8) + Array("\(file.permissions.map { "\($0)" } ?? "-")\n".utf8) + file.bytes
            case .link(let target): Array("link\n\(target)".utf8)
            case .absent: Array("absent\n".utf8)
            case .text(let text): Array("text\n\(text)".utf8)
            // The whole state of an interface is never remembered.
            case .interface: Array("interface\n".utf8)
            case .content(let hash): Array("content\n\(hash)".utf8)
            case .kept: Array("kept\n".utf8)
            }
        return SHA256.hexadecimal(of: bytes)
    }
}
