import CleatJSON
import CleatSettings
import CleatTemplates

/// Reads files as the service reads its schemas; implements `cleat schema check`.
struct SchemaFileCheck {
    /// The paths of the files; `-` is standard input.
    let files: [String]

    /// The result of reading a file as a schema.
    private enum Outcome {
        case taken(LocalText, path: String)
        case refused(CheckedTextView)
    }

    /// Checks each file together with the previous ones, then the rules of all files, and prints the faults.
    func run(on console: Console) throws(CommandError) {
        guard files.count(where: { $0 == "-" }) <= 1 else {
            throw .usage("standard input can be read once only", remedy: "name - once, and files otherwise")
        }
        var report = TextReport(console: console)
        var schema = Schema.builtIn
        var outcomes: [Outcome] = []
        for file in files { outcomes.append(Self.take(file, beside: &schema)) }
        // Rules can refer to settings of all files.
        for outcome in outcomes {
            switch outcome {
            case .taken(let text, let path): try report.add(Self.checkRules(text, path, schema))
            case .refused(let view): try report.add(view)
            }
        }
        try report.end("schema")
    }

    private static func take(_ file: String, beside schema: inout Schema) -> Outcome {
        let text: LocalText
        do {
            text = try LocalText(path: file, limit: SchemaText.limits.size)
        } catch {
            return .refused(CheckedTextView(file: file, faults: [TextFault(error)]))
        }
        do throws(SchemaErrors) {
            let one = try SchemaText.read(text.bytes, dialect: text.dialect, file: text.name)
            do throws(SchemaErrors) {
                schema = try schema.merged(with: one, from: text.name)
            } catch {
                throw SchemaText.located(error, in: text.bytes, dialect: text.dialect, file: text.name)
            }
            return .taken(text, path: file)
        } catch {
            return .refused(CheckedTextView(file: text.name, faults: error.problems.map(TextFault.init)))
        }
    }

    /// Checks a file's rules for files and commands that follow its settings, without the board: the ownership of
    /// templates, and the existence of users, can be checked only there.
    private static func checkRules(_ text: LocalText, _ path: String, _ schema: Schema) -> CheckedTextView {
        let directory = path == "-" ? "." : Self.directory(of: path)
        let context = ApplyContext(schema: schema, protected: ApplyContext.installed, users: nil) {
            name throws(ApplyTemplateError) in
            do {
                return try LocalText(path: directory + "/" + name, limit: TemplateLimits.templateBytes).bytes
            } catch {
                throw ApplyTemplateError("“\(name)” next to the file \(error)")
            }
        }
        do throws(ApplyErrors) {
            _ = try ApplyRules.read(text.bytes, dialect: text.dialect, file: text.name, context: context)
            return CheckedTextView(file: text.name)
        } catch {
            return CheckedTextView(file: text.name, faults: error.problems.map { TextFault($0) })
        }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.utf8.startIndex ? "" : String(path[..<slash])
    }
}
