import CleatSandbox

/// Derives the id of an upload.
///
/// The id depends only on the content and the target: sending the same file again after an interruption resumes the
/// upload.
enum UploadID {
    static func make(for target: FileTarget, size: Int64, sha256: String) -> String {
        let text = "\(target.area)\0\(target.path)\0\(size)\0\(sha256)"
        return "put-" + SHA256.hexadecimal(of: text.utf8).prefix(40)
    }
}
