import CleatAPI
import CleatJSON
import CleatViews

/// Prints that a schema was enabled or disabled: the output of `cleat schema enable` and `disable`.
struct InstalledSchemaView: TextPresentable, JSONPresentable {
    var name: String
    var isEnabled: Bool
    var reply: SettingsInterface.EnableSchema.Reply

    func write(to page: inout TextPage) {
        let state = isEnabled ? "enabled" : "disabled"
        page.line(
            .init(name, .name), .init(reply.changed ? ": \(state) " : ": was \(state) already "),
            .init("(\(reply.file))", .faint))
    }

    var json: JSONValue {
        [
            "name": .string(name), "enabled": .bool(isEnabled), "changed": .bool(reply.changed),
            "file": .string(reply.file),
        ]
    }
}

/// Prints the schemas that are installed with Cleat: the output of `cleat schema list`.
struct InstalledSchemaListView: TablePresentable, JSONPresentable {
    var reply: SettingsInterface.InstalledSchemas.Reply

    var columns: [String] { ["NAME", "STATE", "DESCRIPTION"] }

    var rows: [[TextSpan]] {
        reply.schemas.map { schema in
            [TextSpan(schema.name, .name), TextSpan(schema.state.rawValue), TextSpan(schema.description)]
        }
    }

    var emptyNote: String { "no schema is installed below /usr/share/cleat/schemas" }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] { reply.schemas.map { JSONValue(showing: $0) } }
}
