// Attributes, codes and quotas are part of this library's own interface.
@_exported public import CleatSandbox

/// Describes why an operation on files failed, and the next step.
///
/// ```swift
/// do {
///     try await files.write(photo, to: "photos/1.jpg")
/// } catch let error where error.code == .quotaBytes {
///     try await files.remove("photos/0.jpg")
/// }
/// ```
public struct FilesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public typealias Code = FilesErrorCode

    /// The kind of failure.
    public let code: Code
    /// The path of the file, as given; empty for the top directory.
    public let path: String
    /// The failure and its location.
    public let message: String
    /// The next step; nil if the message contains it.
    public let remedy: String?

    /// Makes an error, in a program's own implementation of the protocols.
    public init(_ code: Code, path: String, message: String, remedy: String? = nil) {
        self.code = code
        self.path = path
        self.message = message
        self.remedy = remedy
    }

    /// The message and the remedy.
    public var description: String { remedy.map { "\(message); \($0)" } ?? message }
}

extension FilesError {
    init(_ error: SandboxError, in label: String?) {
        let (reason, remedy) = error.parts
        let location = label.map { error.path.isEmpty ? $0 : " in \($0)" } ?? ""
        let subject = error.path.isEmpty ? location : "“\(error.path)”\(location)"
        let isFault = error.code == .badPath && error.detail != nil
        self.init(
            error.code, path: error.path,
            message: isFault ? "the path \(subject) \(reason)" : "could not \(error.operation) \(subject): \(reason)",
            remedy: remedy)
    }

    /// Checks the numbers of a part of a file.
    ///
    /// - Throws: `outOfRange` for a negative one.
    package static func requirePart(from offset: Int64, upTo count: Int, of path: String) throws(FilesError) {
        guard offset < 0 || count < 0 else { return }
        throw FilesError(
            .outOfRange, path: path,
            message: "a part of \(path.isEmpty ? "a file" : "“\(path)”") cannot start at \(offset) with \(count) bytes",
            remedy: "give an offset and a count that are not negative")
    }

    /// Makes a call, and converts its error; `label` is the name of the files.
    static func mapping<Value>(
        in label: String? = nil, _ call: () throws(SandboxError) -> Value
    ) throws(FilesError) -> Value {
        do throws(SandboxError) {
            return try call()
        } catch {
            throw FilesError(error, in: label)
        }
    }
}
