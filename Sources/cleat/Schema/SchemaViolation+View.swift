import CleatJSON
import CleatSettings

extension SchemaViolation {
    /// The violation for programs.
    var members: JSONObject {
        [
            "path": .string(instancePath), "keyword": .string(keyword), "schema": .string(schemaPath),
            "message": .string("\(self)"),
        ]
    }
}

extension SchemaError {
    /// The place in the schema, as a JSON pointer in a fragment.
    var place: String { "#" + pointer.map { "/" + SettingPath.escaped($0) }.joined() }

    /// The fault for programs, without its line.
    var members: JSONObject {
        var members: JSONObject = ["path": .string(place)]
        members["keyword"] = keyword.map(JSONValue.string)
        members["code"] = .string(code.description)
        members["message"] = .string(message)
        return members
    }
}
