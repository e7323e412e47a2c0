import CleatJSON
import Testing

/// The error of a command as programs read it: tests compare its code and parameters, and leave its words to golden files.
struct Refusal: Sendable {
    /// The exit status.
    let status: Int32
    /// The name of the error, without its interface.
    let code: String
    /// The parameters of the service's error.
    let parameters: JSONObject
    /// The sentence for a person.
    let message: String

    /// The paths of the refused changes, each with the code of its problem.
    var problems: [[String]] {
        (parameters["problems"]?.arrayValue ?? []).map {
            [$0["path"]?.stringValue ?? "", $0["code"]?.stringValue ?? ""]
        }
    }
}

extension Board {
    /// Runs `cleat`, which must fail, and reads the error that it prints.
    func refusal(_ arguments: String...) async throws -> Refusal { try await refusal(arguments) }

    /// Runs `cleat`, which must fail, and reads the error that it prints.
    func refusal(_ arguments: [String]) async throws -> Refusal {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        let words = arguments[..<end] + ["--output", "json-lines"] + arguments[end...]
        let done = try await script(#"exec "$CLEAT" "$@""#, Array(words))
        let error = try #require(try? JSONReader.read(done.errorText), "\(arguments): \(done)")
        let name = try #require(error["error"]?.stringValue, "\(arguments): \(done)")
        return Refusal(
            status: done.status, code: name.split(separator: ".").last.map(String.init) ?? name,
            parameters: error["parameters"]?.objectValue ?? [:], message: error["message"]?.stringValue ?? "")
    }
}
