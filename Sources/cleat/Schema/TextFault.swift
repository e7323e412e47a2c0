import CleatJSON
import CleatSettings
import CleatTemplates

/// One fault of a text.
struct TextFault: Hashable, Sendable {
    /// The position in the text, if it is known.
    var position: JSONPosition?
    /// The JSON pointer to the value; in a schema, a JSON pointer in a URI fragment.
    var path: String
    /// The violated or invalid keyword; nil if there is none.
    var keyword: String?
    /// The message, worded to follow the path and the keyword.
    var sentence: String
    /// The fault as JSON members, without its position.
    var members: JSONObject

    /// Describes a document's violation of its schema.
    init(_ violation: SchemaViolation, at position: JSONPosition?) {
        self.position = position
        path = violation.path.isEmpty ? "the value" : violation.instancePath
        keyword = violation.keyword
        sentence = violation.reason
        members = violation.members
    }

    /// Describes an error in a schema.
    init(_ error: SchemaError) {
        position = error.position
        path = error.place
        keyword = error.keyword
        sentence = error.message
        members = error.members
    }

    /// Describes an error in a rule for files and commands that follow settings.
    init(_ error: ApplyError) {
        position = error.position
        path = "#" + error.pointer.map { "/" + $0 }.joined()
        sentence = error.message
        members = ["path": .string(path), "keyword": .string(ApplyRules.keyword), "message": .string(error.message)]
    }

    /// Describes a syntax error.
    init(_ error: JSONError) {
        position = error.position
        path = ""
        sentence = error.message
        members = ["path": "", "keyword": "json", "code": .string(error.code.description)]
        members["message"] = .string(error.message)
    }

    /// Describes a failure to read a file.
    init(_ failure: LocalText.Failure) {
        path = ""
        sentence = "it \(failure)"
        members = ["path": "", "keyword": "file", "message": .string("it \(failure)")]
    }

    /// The fault as JSON.
    var json: JSONValue {
        guard let position else { return .object(members) }
        var all: JSONObject = ["line": JSONValue(position.line), "column": JSONValue(position.column)]
        for (key, value) in members { all[key] = value }
        return .object(all)
    }
}
