import CleatJSON
import CleatSettings

/// Reads files as the service reads its schemas: the work of `cleat schema check`.
struct SchemaFileCheck {
    /// The files; `-` is standard input.
    let files: [String]

    /// Checks the files, each beside those before it, and prints what is wrong.
    func run(on console: Console) throws(CommandError) {
        guard files.count(where: { $0 == "-" }) <= 1 else {
            throw .usage("standard input can be read once only", remedy: "name - once, and files otherwise")
        }
        var report = TextReport(console: console)
        var schema = Schema.builtIn
        for file in files { try report.add(Self.check(file, beside: &schema)) }
        try report.end("schema")
    }

    private static func check(_ file: String, beside schema: inout Schema) -> CheckedTextView {
        let text: LocalText
        do {
            text = try LocalText(path: file, limit: SchemaText.limits.size)
        } catch {
            return CheckedTextView(file: file, faults: [TextFault(error)])
        }
        do throws(SchemaErrors) {
            let one = try SchemaText.read(text.bytes, dialect: text.dialect, file: text.name)
            do throws(SchemaErrors) {
                schema = try schema.merged(with: one, from: text.name)
            } catch {
                throw SchemaText.located(error, in: text.bytes, dialect: text.dialect, file: text.name)
            }
            return CheckedTextView(file: text.name)
        } catch {
            return CheckedTextView(file: text.name, faults: error.problems.map(TextFault.init))
        }
    }
}
