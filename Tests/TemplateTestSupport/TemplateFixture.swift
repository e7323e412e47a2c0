internal import CleatJSON
package import CleatSettings
package import CleatTemplates

/// A schema and settings for tests of templates.
package enum TemplateFixture {
    package static let schemaText = """
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

    package static func schema() throws -> Schema {
        try Schema.builtIn.merged(with: SchemaText.read(Array(schemaText.utf8), file: "test.json"), from: "test.json")
    }

    package static func settings(_ values: String, _ schema: Schema) throws -> LayeredSettings {
        let json = try JSONReader.read(values, dialect: .json5)
        return LayeredSettings(sources: SettingsSources(schema: schema, factory: SettingsFile(file: "f", values: json)))
    }

    /// Renders a template of settings.
    package static func render(_ template: String, _ values: String = "{}", _ escape: TemplateEscape = .line) throws
        -> String
    {
        let schema = try schema()
        let compiled = try Template(template, escape: escape, schema: schema)
        return String(decoding: try compiled.render(settings(values, schema)), as: UTF8.self)
    }

    /// Returns the errors of a template, one line each.
    package static func errors(_ template: String, _ escape: TemplateEscape = .line) throws -> [String] {
        let schema = try schema()
        do {
            _ = try Template(template, escape: escape, schema: schema)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}

/// Reads rules with the schema of ``TemplateFixture``.
package enum ApplyFixture {
    package static func context(_ schema: Schema, users: String = "/nowhere") -> ApplyContext {
        ApplyContext(schema: schema, protected: ["/etc/cleat", "/var/lib/cleat"], users: users) {
            name throws(ApplyTemplateError) in
            guard name == "app.in" else { throw ApplyTemplateError("\(name) is not there; add it") }
            return Array("name {{name}}\n{{wrong}}\n".utf8)
        }
    }

    package static func read(
        _ rules: String, file: String = "app.json", users: String = "/nowhere"
    ) throws -> ApplyRules {
        let text = "{\n\"x-cleat-apply\": \(rules)}"
        let rules = try ApplyRules.read(
            Array(text.utf8), file: "/s/\(file)", context: context(try TemplateFixture.schema(), users: users))
        guard let rules else { throw ApplyTemplateError("the text has no rules") }
        return rules
    }

    /// Returns the errors of rules, one line each; the rules begin in line 2.
    package static func errors(_ rules: String) throws -> [String] {
        let text = "{\n\"x-cleat-apply\": \(rules)}"
        let context = context(try TemplateFixture.schema())
        do {
            _ = try ApplyRules.read(Array(text.utf8), file: "/s/app.json", context: context)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}
