import CleatSandbox

/// Makes the id under which a file is sent.
///
/// It is made of what is sent and where to: who sends the same again, after whatever cut it off, goes on where it ended.
enum UploadID {
    static func make(for target: FileTarget, size: Int64, sha256: String) -> String {
        let text = "\(target.area)\0\(target.path)\0\(size)\0\(sha256)"
        return "put-" + SHA256.hexadecimal(of: text.utf8).prefix(40)
    }
}
