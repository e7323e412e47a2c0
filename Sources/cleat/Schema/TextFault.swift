import CleatAdapters
import CleatJSON
import CleatSettings

/// One thing that is wrong with a text.
struct TextFault: Hashable, Sendable {
    /// Where it stands in the text, if that is known.
    var position: JSONPosition?
    /// Where it stands in the value, as a JSON pointer; in a schema, as one in a fragment.
    var path: String
    /// The keyword that is broken, or is wrong; nil where none is.
    var keyword: String?
    /// What is wrong, as it goes on after path and keyword.
    var sentence: String
    /// The fault for programs, without its line.
    var members: JSONObject

    /// A rule that a document breaks.
    init(_ violation: SchemaViolation, at position: JSONPosition?) {
        self.position = position
        path = violation.path.isEmpty ? "the value" : violation.instancePath
        keyword = violation.keyword
        sentence = violation.reason
        members = violation.members
    }

    /// What is wrong with a schema.
    init(_ error: SchemaError) {
        position = error.position
        path = error.place
        keyword = error.keyword
        sentence = error.message
        members = error.members
    }

    /// What is wrong with a rule for what follows settings.
    init(_ error: ApplyError) {
        position = error.position
        path = "#" + error.pointer.map { "/" + $0 }.joined()
        sentence = error.message
        members = ["path": .string(path), "keyword": .string(ApplyRules.keyword), "message": .string(error.message)]
    }

    /// Why a text is not read.
    init(_ error: JSONError) {
        position = error.position
        path = ""
        sentence = error.message
        members = ["path": "", "keyword": "json", "code": .string(error.code.description)]
        members["message"] = .string(error.message)
    }

    /// Why a file is not read.
    init(_ failure: LocalText.Failure) {
        path = ""
        sentence = "it \(failure)"
        members = ["path": "", "keyword": "file", "message": .string("it \(failure)")]
    }

    /// The fault for programs.
    var json: JSONValue {
        guard let position else { return .object(members) }
        var all: JSONObject = ["line": JSONValue(position.line), "column": JSONValue(position.column)]
        for (key, value) in members { all[key] = value }
        return .object(all)
    }
}
