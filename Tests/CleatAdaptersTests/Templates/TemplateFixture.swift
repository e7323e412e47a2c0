import CleatJSON
import CleatSettings

@testable import CleatAdapters

/// A schema and settings for tests of templates.
enum TemplateFixture {
    static let schemaText = """
        {
            "type": "object",
            "properties": {
                "services": {
                    "type": "object",
                    "properties": {
                        "web": {
                            "type": "object",
                            "properties": {
                                "enabled": { "type": "boolean", "default": false },
                                "port": { "type": "integer", "default": 80 },
                                "name": { "type": "string" },
                                "ratio": { "type": "number" },
                                "password": { "type": "string", "writeOnly": true },
                                "aliases": { "type": "array", "items": { "type": "string" } },
                                "peers": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "properties": {
                                            "host": { "type": "string" },
                                            "port": { "type": "integer" },
                                            "tags": { "type": "array", "items": { "type": "string" } },
                                            "labels": { "type": "object", "additionalProperties": { "type": "string" } }
                                        }
                                    }
                                },
                                "anything": {}
                            }
                        }
                    }
                },
                "sites": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "object",
                        "properties": {
                            "root": { "type": "string" },
                            "port": { "type": "integer", "default": 8080 },
                            "names": { "type": "array", "items": { "type": "string" } }
                        }
                    }
                },
                "ports": { "type": "object", "additionalProperties": { "type": "integer" } },
                "name": { "type": "string" }
            }
        }
        """

    static func schema() throws -> Schema {
        try Schema.builtIn.merged(with: SchemaText.read(Array(schemaText.utf8), file: "test.json"), from: "test.json")
    }

    static func settings(_ values: String, _ schema: Schema) throws -> LayeredSettings {
        let json = try JSONReader.read(values, dialect: .json5)
        return LayeredSettings(sources: SettingsSources(schema: schema, factory: SettingsFile(file: "f", values: json)))
    }

    /// Renders a template of settings.
    static func render(_ template: String, _ values: String = "{}", _ escape: TemplateEscape = .line) throws -> String {
        let schema = try schema()
        let compiled = try Template(template, escape: escape, schema: schema)
        return String(decoding: try compiled.render(settings(values, schema)), as: UTF8.self)
    }

    /// What is wrong with a template, one line a problem.
    static func errors(_ template: String, _ escape: TemplateEscape = .line) throws -> [String] {
        let schema = try schema()
        do {
            _ = try Template(template, escape: escape, schema: schema)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}
