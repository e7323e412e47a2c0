import CleatJSON

/// Fuzzes the reader: what it reads, as JSON and as JSON5, must be written, in every style, so that it reads back equal.
///
/// The package manager gives every executable a main function of its own, so libFuzzer's driver is called from there.
@main
enum FuzzJSON {
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
    unsafe fuzz(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

private func fuzz(_ bytes: UnsafeRawBufferPointer) {
    let plain = unsafe read(bytes, .json)
    let relaxed = unsafe read(bytes, .json5)
    if let plain {
        // Every JSON document is a JSON5 document with the same meaning.
        precondition(relaxed == plain, "JSON5 reads JSON otherwise")
    }
    if let value = relaxed { check(value) }
}

private func read(_ bytes: UnsafeRawBufferPointer, _ dialect: JSONDialect) -> JSONValue? {
    do {
        return unsafe try JSONReader.read(bytes, dialect: dialect)
    } catch {
        precondition(error.line >= 1 && error.column >= 1 && (0...bytes.count).contains(error.offset), "no such place")
        precondition(!error.message.isEmpty, "no message")
        return nil
    }
}

private func check(_ value: JSONValue) {
    for style in [JSONWriter.Style.compact, .pretty, .canonical] {
        let text = JSONWriter.bytes(of: value, style: style)
        do {
            let again = try JSONReader.read(text, limits: JSONLimits(size: .max))
            precondition(again == value && again.hashValue == value.hashValue, "reads back otherwise")
            precondition(JSONWriter.bytes(of: again, style: style) == text, "is written otherwise")
        } catch {
            preconditionFailure("does not read back: \(error)")
        }
    }
    do {
        let coded = try JSONValue(encoding: value)
        precondition(coded == value, "is encoded otherwise")
        let located = try JSONReader.readWithLocations(JSONWriter.bytes(of: value), limits: JSONLimits(size: .max))
        precondition(located.value == value && located.locations.position(of: []) != nil, "is located otherwise")
    } catch {
        preconditionFailure("does not encode: \(error)")
    }
}

/// Runs libFuzzer's driver; see `LLVMFuzzerRunDriver` in "libFuzzer as a library".
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt
) -> CInt
