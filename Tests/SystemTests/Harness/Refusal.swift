import CleatAPI
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

    /// The results of the adapters that failed.
    var failures: [AdapterResult] {
        (parameters["results"]?.arrayValue ?? []).compactMap(\.objectValue).compactMap { try? AdapterResult(wire: $0) }
            .filter { $0.state == .failed }
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

    /// Runs `cleat` for a change or a plan, which must end with 0, and reads the reply that it prints.
    func change(
        _ arguments: String..., at location: SourceLocation = #_sourceLocation
    ) async throws -> SettingsInterface.Set.Reply {
        let done = try await script(#"exec "$CLEAT" "$@" --output json"#, arguments)
        #expect(done.status == 0, "\(arguments): \(done)", sourceLocation: location)
        let reply = try #require(
            try? JSONReader.read(done.output).objectValue, "\(arguments): \(done)", sourceLocation: location)
        return try SettingsInterface.Set.Reply(wire: reply)
    }
}

extension RunningAgent {
    /// Returns a generation of the history; nil if there is none of this number.
    func generation(_ number: Int64) async throws -> Generation? {
        try await call(SettingsInterface.Log.self, .init(before: number + 1, limit: 1)).generations.first {
            $0.number == number
        }
    }

    /// Returns the generations of the change with an id.
    func generations(of id: String) async throws -> [Generation] {
        try await call(SettingsInterface.Log.self, .init(id: id)).generations
    }
}
