import CleatJSON
import CleatSettings

extension SchemaViolation {
    /// The violation as JSON members.
    var members: JSONObject {
        [
            "path": .string(instancePath), "keyword": .string(keyword), "schema": .string(schemaPath),
            "message": .string("\(self)"),
        ]
    }
}

extension SchemaError {
    /// The location in the schema, as a JSON pointer in a URI fragment.
    var place: String { "#" + pointer.map { "/" + SettingPath.escaped($0) }.joined() }

    /// The error as JSON members, without its position.
    var members: JSONObject {
        var members: JSONObject = ["path": .string(place)]
        members["keyword"] = keyword.map(JSONValue.string)
        members["code"] = .string(code.description)
        members["message"] = .string(message)
        return members
    }
}
