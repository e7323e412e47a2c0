import CleatJSON
import CleatSettings

/// Fuzzes JSON Schema: what compiles must check every value to its end within its limits, and say the same each time.
///
/// An input is a list in JSON5, a schema and values: `[{type: "integer"}, 1, "x"]`. The package manager gives every
/// executable a main function of its own, so libFuzzer's driver is called from there.
@main
enum FuzzSchema {
    static func main() {
        var count = CommandLine.argc
        var arguments = unsafe CommandLine.unsafeArgv
        let status = unsafe runFuzzer(&count, &arguments) { start, count in unsafe testOneInput(start, count) }
        precondition(status == 0, "the fuzzer failed")
    }
}

/// Tests one input; libFuzzer's own main function, which is linked but not used, asks for the name.
///
/// - Parameters:
///   - start: The first byte of the input.
///   - count: The number of bytes.
/// - Returns: 0 always, as libFuzzer wants it.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    fuzzText(bytes)
    guard case .array(let parts) = try? JSONReader.read(bytes, dialect: .json5), let first = parts.first else {
        return 0
    }
    for use in [JSONSchema.Use.documents(assertFormat: false), .documents(assertFormat: true), .settings] {
        fuzzCompiled(first, parts.dropFirst(), use)
    }
    fuzzTree(first, parts.dropFirst())
    return 0
}

/// Every error in a text has a place in it.
private func fuzzText(_ bytes: [UInt8]) {
    do throws(SchemaErrors) {
        _ = try SchemaText.read(bytes, dialect: .json5, file: "input")
    } catch {
        precondition(!error.problems.isEmpty && !error.description.isEmpty, "an error without a problem")
        for problem in error.problems {
            precondition(problem.position != nil && !problem.message.isEmpty, "a problem without a place")
        }
    }
}

private func fuzzCompiled(_ json: JSONValue, _ values: ArraySlice<JSONValue>, _ use: JSONSchema.Use) {
    guard let schema = try? JSONSchema(json, for: use) else { return }
    let limits = ValidationLimits(steps: 200_000)
    for value in values.prefix(8) {
        let report = schema.validate(value, limits: limits)
        precondition(report.violations.count <= limits.violations + 1, "too much is told")
        precondition(report.count >= report.violations.count, "less is counted than told")
        if report.isComplete {
            let accepts = schema.accepts(value, limits: ValidationLimits(steps: 400_000))
            precondition(accepts == report.isValid, "two verdicts")
        }
        for violation in report.violations {
            precondition(violation.description.utf8.count < 4096, "a message without a bound")
            precondition(!violation.description.utf8.contains(0x0A), "a message of two lines")
        }
    }
}

/// A tree of settings means the same after it was exported and read again.
private func fuzzTree(_ json: JSONValue, _ values: ArraySlice<JSONValue>) {
    guard let schema = try? Schema(json: json) else { return }
    do {
        let again = try Schema(json: schema.json)
        precondition(again.json == schema.json, "the schema is exported otherwise")
    } catch {
        preconditionFailure("what was exported does not read back: \(error)")
    }
    for entry in schema.entries().prefix(16) {
        guard let path = try? SettingPath(entry.pattern) else { continue }
        for value in values.prefix(4) {
            let canonical = schema.canonical(value, at: path)
            precondition(schema.canonical(canonical, at: path) == canonical, "there are two canonical forms")
            _ = schema.problems(with: canonical, at: path, suggesting: true)
        }
    }
}

/// Runs libFuzzer's driver; see `LLVMFuzzerRunDriver` in "libFuzzer as a library".
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt
) -> CInt
