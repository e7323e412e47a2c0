import CleatJSON
public import CleatSettings
import SystemPackage

/// The keys of a program, listed once: they are checked together, and the program's schema is made from them.
///
/// ```swift
/// static let settings = SettingKeys(title: "Lamp", .brightness, .scenes, .label)
///
/// settings.handleSchemaOption()  // `lamp --cleat-schema` prints the schema, for `schema.d`
/// try await Cleat.connect().check(settings)
/// ```
public struct SettingKeys: Sendable {
    /// The command line's option that ``handleSchemaOption()`` handles.
    public static let schemaOption = "--cleat-schema"

    let checks: [KeyCheck]
    private let title: String?

    /// Lists the keys of a program.
    ///
    /// - Parameters:
    ///   - title: the name of the program's settings in its schema.
    ///   - keys: the keys; those of every board, such as `.hostname`, can be listed too and are not in the schema.
    public init<each Value>(title: String? = nil, _ keys: repeat SettingKey<each Value>) {
        var checks: [KeyCheck] = []
        repeat checks.append(KeyCheck(each keys))
        self.checks = checks
        self.title = title
    }

    private init(_ checks: [KeyCheck], title: String?) {
        self.checks = checks
        self.title = title
    }

    /// Returns the keys whose paths a schema does not have.
    package func outside(_ schema: Schema) -> SettingKeys {
        SettingKeys(checks.filter { schema.lookup($0.path) == nil }, title: title)
    }

    /// The paths of the keys.
    package var paths: [SettingPath] { checks.map(\.path) }

    /// Makes the JSON Schema of the keys, as a text that the service reads from `schema.d`.
    ///
    /// A key that is part of another key's struct adds its title and rules there. An entry of another key's dictionary
    /// is described by that dictionary.
    ///
    /// - Returns: the text, with a line break at its end.
    /// - Throws: ``CleatError`` with the code `refused` and a problem for each key whose type, default or rules have no
    ///   valid schema, and for a path that two keys have.
    public func schema() throws(CleatError) -> String {
        var declared = DeclaredSchema()
        var problems: [CleatError.Problem] = []
        func refuse(_ path: String, _ reason: String) {
            problems.append(.init(path: path, code: "schema", reason: reason))
        }
        for key in checks.sorted(by: { $0.path.count < $1.path.count }) where Schema.builtIn.lookup(key.path) == nil {
            if declared.paths.contains(key.path) { refuse(key.path.text, "is the path of two keys; remove one") }
            do {
                declared.add(try key.schema(), at: key.path)
            } catch {
                refuse(key.path.text, "has no schema: \(error)")
            }
        }
        var schema: JSONObject = ["$schema": .string(JSONSchema.dialect)]
        schema["title"] = title.map(JSONValue.string)
        for (keyword, value) in declared.json.objectValue ?? [:] { schema[keyword] = value }
        do throws(SchemaErrors) {
            let own = try Schema(json: .object(schema), file: "keys")
            _ = try Schema.builtIn.merged(with: own, from: "keys")
        } catch {
            for problem in error.problems { refuse("", "\(problem)") }
        }
        guard problems.isEmpty else {
            throw CleatError(
                .refused, "no schema can be made from the keys of this program", remedy: "correct the keys",
                problems: problems)
        }
        return JSONWriter.write(.object(schema), style: .pretty) + "\n"
    }

    /// Prints the schema and ends the program, if `--cleat-schema` is its only argument; otherwise does nothing.
    ///
    /// Call this first, before the program connects. The exit status is 0, or 1 if no schema can be made from the keys:
    /// then the reasons are on standard error, and nothing is on standard output.
    public func handleSchemaOption() {
        guard CommandLine.arguments.dropFirst().elementsEqual([Self.schemaOption]) else { return }
        do {
            try FileDescriptor.standardOutput.writeAll(try schema().utf8)
        } catch {
            // Without standard error the exit status alone is the report.
            _ = try? FileDescriptor.standardError.writeAll("\(Self.schemaOption) failed: \(error)\n".utf8)
            Self.endProgram(1)
        }
        Self.endProgram(0)
    }
}
