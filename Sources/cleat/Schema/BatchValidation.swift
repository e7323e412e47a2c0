import CleatJSON
import CleatSettings
import SystemPackage

/// Validates one document against one schema for each line; implements `cleat schema validate --stdin-lines`.
struct BatchValidation {
    /// The maximum length of a line, in bytes.
    static let maximumLineBytes = LocalText.maximumBytes
    /// The size of the output buffer in bytes, after which the answers are written.
    private static let outputBytes = 64 << 10

    /// The use that schemas are compiled for.
    let use: JSONSchema.Use
    /// The number of lines that could not be validated.
    private(set) var failures = 0
    /// The previous line's schema, since consecutive lines often have the same one.
    private var last: (json: JSONValue, compiled: Result<JSONSchema, SchemaErrors>)?

    init(_ use: JSONSchema.Use) {
        self.use = use
    }

    /// Answers the lines of standard input.
    static func run(_ use: JSONSchema.Use, on console: Console) throws(CommandError) {
        var validation = BatchValidation(use)
        var reader = LineReader(.standardInput, limit: maximumLineBytes)
        var output: [UInt8] = []
        func flush() throws(CommandError) {
            try console.write(output)
            output.removeAll(keepingCapacity: true)
        }
        while let line = try reader.next(beforeWaiting: flush) {
            let start = output.count
            JSONWriter.write(validation.answer(to: line), into: &output)
            escapeLineEnds(in: &output, from: start)
            output.append(UInt8(ascii: "\n"))
            if output.count >= outputBytes { try flush() }
        }
        try flush()
        guard validation.failures == 0 else {
            throw CommandError(
                status: .invalid, layer: .validate, code: "Lines",
                message: validation.failures == 1
                    ? "a line could not be validated" : "\(validation.failures) lines could not be validated",
                remedy: "see their answers: each begins with {\"error\":")
        }
    }

    /// Escapes the characters that many programs read as line ends: U+0085, U+2028 and U+2029.
    static func escapeLineEnds(in output: inout [UInt8], from start: Int) {
        var place = start
        while let byte = output[place...].firstIndex(where: { $0 == 0xc2 || $0 == 0xe2 }) {
            switch output[byte...].prefix(3) {
            case [0xe2, 0x80, 0xa8]: output.replaceSubrange(byte..<byte + 3, with: "\\u2028".utf8)
            case [0xe2, 0x80, 0xa9]: output.replaceSubrange(byte..<byte + 3, with: "\\u2029".utf8)
            case let other where other.starts(with: [0xc2, 0x85]):
                output.replaceSubrange(byte..<byte + 2, with: "\\u0085".utf8)
            default: break
            }
            place = byte + 1
        }
    }

    /// Returns the answer for one line.
    mutating func answer(to line: LineReader.Line) -> JSONObject {
        switch line {
        case .tooLong: return failure("the line is longer than \(Self.maximumLineBytes) bytes")
        case .whole(let bytes):
            let value: JSONValue
            do {
                value = try JSONReader.read(bytes, limits: LocalText.limits)
            } catch {
                return failure("the line is not valid JSON: column \(error.column): \(error.message)")
            }
            guard case .object(let members) = value else { return failure("the line is not an object") }
            guard let schema = members["schema"] else { return failure("the line has no member “schema”") }
            guard let data = members["data"] else { return failure("the line has no member “data”") }
            return verdict(on: data, by: schema)
        }
    }

    private mutating func verdict(on data: JSONValue, by schema: JSONValue) -> JSONObject {
        switch compiled(schema) {
        case .failure(let errors):
            var answer = failure("the schema is refused: \(errors.problems.first.map { "\($0)" } ?? "")")
            answer["problems"] = .array(errors.problems.map { JSONValue.object($0.members) })
            return answer
        case .success(let schema):
            // Most documents are valid, and checking that is faster than listing violations.
            if schema.accepts(data) { return ["valid": true] }
            let report = schema.validate(data)
            if report.isValid { return ["valid": true] }
            var answer: JSONObject = [
                "valid": false, "errors": .array(report.violations.map { .object($0.members) }),
            ]
            if report.count > report.violations.count {
                answer["omitted"] = JSONValue(report.count - report.violations.count)
            }
            return answer
        }
    }

    private mutating func compiled(_ json: JSONValue) -> Result<JSONSchema, SchemaErrors> {
        if let last, last.json == json { return last.compiled }
        let compiled = Result { () throws(SchemaErrors) in try JSONSchema(json, for: use) }
        last = (json, compiled)
        return compiled
    }

    private mutating func failure(_ message: String) -> JSONObject {
        failures += 1
        return ["error": .string(message)]
    }
}
