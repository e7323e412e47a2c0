import CleatJSON
import CleatSettings

/// Validates files against a schema; implements `cleat schema validate`.
struct DocumentCheck {
    /// The path of the schema's file, or `true` or `false`.
    let schema: String
    /// The paths of the documents; `-` is standard input.
    let files: [String]
    /// The use that the schema is compiled for.
    let use: JSONSchema.Use

    /// Validates the files and prints the faults.
    func run(on console: Console) throws(CommandError) {
        guard ([schema] + files).count(where: { $0 == "-" }) <= 1 else {
            throw .usage("standard input can be read once only", remedy: "name - once, and files otherwise")
        }
        var report = TextReport(console: console)
        let compiled: JSONSchema
        switch read() {
        case .success(let schema): compiled = schema
        case .failure(let refused):
            try report.add(refused.view)
            return try report.end("schema")
        }
        for file in files { try report.add(check(file, against: compiled)) }
        try report.end("document")
    }

    private struct Refused: Error { var view: CheckedTextView }

    private func read() -> Result<JSONSchema, Refused> {
        do throws(SchemaErrors) {
            switch schema {
            case "true": return .success(try JSONSchema(true, for: use))
            case "false": return .success(try JSONSchema(false, for: use))
            default: break
            }
            let text: LocalText
            do {
                text = try LocalText(path: schema, limit: SchemaText.limits.size)
            } catch {
                return .failure(Refused(view: CheckedTextView(file: schema, faults: [TextFault(error)])))
            }
            return .success(try SchemaText.compile(text.bytes, for: use, dialect: text.dialect, file: text.name))
        } catch {
            return .failure(Refused(view: CheckedTextView(file: schema, faults: error.problems.map(TextFault.init))))
        }
    }

    private func check(_ file: String, against schema: JSONSchema) -> CheckedTextView {
        let text: LocalText
        do {
            text = try LocalText(path: file, limit: LocalText.maximumBytes)
        } catch {
            return CheckedTextView(file: file, faults: [TextFault(error)])
        }
        do {
            let value = try JSONReader.read(text.bytes, dialect: text.dialect, limits: LocalText.limits)
            let report = schema.validate(value)
            let pointers = report.violations.map { $0.path.map(\.token) }
            // The text is read again only if it is invalid, since the positions of all values need much memory.
            let places =
                pointers.isEmpty
                ? nil
                : try JSONReader.locate(pointers, in: text.bytes, dialect: text.dialect, limits: LocalText.limits)
            let faults = zip(report.violations, pointers).map { violation, pointer in
                TextFault(violation, at: places?.nearestPosition(to: pointer))
            }
            return CheckedTextView(file: text.name, faults: faults, omitted: report.count - faults.count)
        } catch {
            return CheckedTextView(file: text.name, faults: [TextFault(error)])
        }
    }
}
