import CleatJSON
import CleatSettings

/// Fuzzes what a person, a schema file or a client writes: paths, patterns, formats, typed values, schemas and changes.
///
/// The first byte of an input chooses what the rest is read as. The package manager gives every executable a main
/// function of its own, so libFuzzer's driver is called from there.
@main
enum FuzzSettings {
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
    guard let kind = bytes.first else { return 0 }
    let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
    switch kind % 6 {
    case 0: fuzzPath(text)
    case 1: fuzzPattern(text)
    case 2: fuzzFormats(text)
    case 3: fuzzTypedValue(text)
    case 4: fuzzSchema(text)
    default: fuzzChanges(text)
    }
    return 0
}

private func fuzzPath(_ text: String) {
    guard let path = try? SettingPath(text) else { return }
    precondition(path.text.utf8.elementsEqual(text.utf8), "the text changed")
    precondition((try? SettingPath(segments: path.segments)) == path, "the segments name another path")
    precondition(path.count == path.segments.count && path.count <= SettingPath.maximumSegments, "miscounted")
    if let parent = path.parent {
        precondition((try? parent.appending(path.name)) == path, "the way up and down ends elsewhere")
        precondition(parent.isPrefix(of: path) && !path.isPrefix(of: parent), "above is below")
    }
    _ = Schema.builtIn.problems(with: 1, at: path, suggesting: true)
}

/// Compiles the text before the first line feed as a pattern, and searches the remaining text.
private func fuzzPattern(_ text: String) {
    let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    do throws(PatternError) {
        let pattern = try Pattern(String(parts[0]))
        _ = pattern.matches(parts.count > 1 ? String(parts[1]) : "")
    } catch {
        precondition(error.column >= 1 && !error.message.isEmpty, "no such place")
    }
}

private func fuzzFormats(_ text: String) {
    for format in SettingFormat.allCases {
        let canonical = format.canonical(text)
        guard format.accepts(text) else { continue }
        precondition(format.accepts(canonical), "the canonical form is refused")
        precondition(format.canonical(canonical).utf8.elementsEqual(canonical.utf8), "there are two canonical forms")
        precondition(format.quantity(canonical) == format.quantity(text), "the canonical form means another quantity")
    }
}

private func fuzzTypedValue(_ text: String) {
    for types in [nil, ["string"], ["integer"], ["number", "array"], ["boolean", "object"]] {
        guard let value = try? SettingValueText.parse(text, types: types) else { continue }
        precondition(!value.isNull, "null is no value")
        guard let types else { continue }
        let name = value.typeName
        precondition(types.contains(name) || types.contains("number") && name == "integer", "of another type")
    }
}

private func fuzzSchema(_ text: String) {
    guard let json = try? JSONReader.read(text, dialect: .json5), let schema = try? Schema(json: json) else { return }
    do {
        let again = try Schema(json: schema.json)
        precondition(again.json == schema.json, "the schema is exported otherwise")
    } catch {
        preconditionFailure("what was exported does not read back: \(error)")
    }
    for entry in schema.entries() {
        for value: JSONValue in [1, 1.5, "a", true, ["a", 1], [["a": 1]]] {
            let canonical = entry.node.canonical(value)
            precondition(entry.node.canonical(canonical) == canonical, "there are two canonical forms")
        }
    }
}

/// The text is JSON: an object whose members are changes, applied to the settings that are a second one's.
private func fuzzChanges(_ text: String) {
    guard case .array(let objects) = try? JSONReader.read(text, dialect: .json5) else { return }
    for (old, new) in zip(objects, objects.dropFirst()) where !holdsNull(old) && !holdsNull(new) { fuzzPatch(old, new) }
    var settings = LayeredSettings(schema: .builtIn)
    for case .object(let object) in objects.prefix(8) {
        let changes = object.compactMap { key, value in (try? SettingPath(key)).map { Change($0, value) } }
        guard let set = try? ChangeSet(changes) else { continue }
        let proposal = settings.propose(set)
        precondition(
            proposal.differences == SettingsTree.differences(from: settings.committed, to: proposal.settings.committed),
            "the differences are others")
        guard proposal.problems.isEmpty else { continue }
        precondition(proposal.settings.propose(set).differences.isEmpty, "the same changes change something twice")
        var back = proposal.settings.committed
        back.apply(proposal.differences.map(\.reversed))
        precondition(back == settings.committed, "the way back leads elsewhere")
        settings = proposal.settings
        _ = settings.list(under: nil)
        _ = settings.subtree(at: nil)
    }
}

/// The patch between two values leads from one to the other, also after it was written and read.
private func fuzzPatch(_ old: JSONValue, _ new: JSONValue) {
    guard let patch = MergePatch.patch(from: old, to: new) else {
        precondition(old == new, "there is no patch between values that differ")
        return
    }
    guard let read = try? JSONReader.read(JSONWriter.write(patch)) else {
        preconditionFailure("a patch does not read back")
    }
    precondition(read == patch && MergePatch.apply(read, to: old) == new, "the patch leads elsewhere")
}

/// Returns true if a value contains null, which a patch cannot express.
private func holdsNull(_ value: JSONValue) -> Bool {
    switch value {
    case .null: true
    case .array(let values): values.contains(where: holdsNull)
    case .object(let members): members.contains { holdsNull($0.value) }
    default: false
    }
}

/// Runs libFuzzer's driver; see `LLVMFuzzerRunDriver` in "libFuzzer as a library".
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt
) -> CInt
