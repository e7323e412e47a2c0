import CleatAPI
import Logging

/// Writes one line to the log for each change of the board, at level notice, so that who reads a board's journal sees what
/// became of it and when: `commit generation=12 id=move author=root paths=system/hostname result="host-name: …"`.
///
/// Values are never in it.
struct ChangeJournal: Sendable {
    /// What was done.
    enum Verb: String, Sendable {
        /// Settings were stored, and the system follows them.
        case commit
        /// Settings are in force until somebody confirms them or their time is over.
        case trial
        /// A change was undone.
        case revert
        /// A change could not be undone as a whole.
        case revertFailed = "revert-failed"
        /// The system was made what the settings say, without a change of settings.
        case write
    }

    private static let pathsLimit = 8
    private static let resultLimit = 512
    private let log: Logger?

    /// Writes to a log, or nowhere.
    init(_ log: Logger?) { self.log = log }

    /// Writes one line.
    ///
    /// - Parameters:
    ///   - verb: what was done.
    ///   - generation: the generation in force from now on.
    ///   - id: the id of the change; nil where it has none.
    ///   - author: who asked for it.
    ///   - paths: the settings that it is about.
    ///   - result: what became of it, in words.
    func note(
        _ verb: Verb, generation: Int64, id: String? = nil, author: String, paths: some Sequence<String>,
        result: String
    ) {
        let all = Array(paths)
        var named = all.prefix(Self.pathsLimit).joined(separator: ",")
        if all.count > Self.pathsLimit { named += ",+\(all.count - Self.pathsLimit)" }
        var words = result
        if words.utf8.count > Self.resultLimit {
            words = String(decoding: words.utf8.prefix(Self.resultLimit), as: UTF8.self) + "…"
        }
        let fields = [
            ("generation", String(generation)), ("id", id ?? "-"), ("author", author),
            ("paths", named.isEmpty ? "-" : named), ("result", words),
        ]
        let line = fields.map { "\($0.0)=\(Self.quoted($0.1))" }.joined(separator: " ")
        log?.notice("\(verb.rawValue) \(line)")
    }

    /// One word stays as it is; all else stands between quotation marks.
    private static func quoted(_ text: String) -> String {
        let isWord =
            !text.isEmpty && text.unicodeScalars.allSatisfy { $0 > " " && $0 != "\"" && $0 != "\\" && $0 != "=" }
        if isWord { return text }
        return text.reduce(into: "\"") { quoted, character in
            if character == "\"" || character == "\\" { quoted.append("\\") }
            quoted.append(character)
        } + "\""
    }
}

extension [CleatAPI.AdapterResult] {
    /// What adapters did, in words; what was left alone is not worth a line.
    var words: String? {
        let told = filter { $0.state != .notApplied || count == 1 }.map(\.message)
        return told.isEmpty ? nil : told.joined(separator: "; ")
    }
}
