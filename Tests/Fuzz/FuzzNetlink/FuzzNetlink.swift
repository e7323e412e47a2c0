import CleatObservers

/// Fuzzes every parser of messages, and the state machines behind them with what they make of the bytes.
///
/// The package manager gives every executable a main function of its own, so libFuzzer's driver is called from there.
@main
enum FuzzNetlink {
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
    fuzz(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private func fuzz(_ bytes: [UInt8]) {
    var devices = DeviceTracker()
    for message in [try? DeviceMessage(kernel: bytes), try? DeviceMessage(udevd: bytes)] {
        guard let message else { continue }
        _ = devices.handle(message) { _ in true }
        precondition(message.devpath.hasPrefix("/") && !message.devpath.contains("/../"))
        precondition(PropertyBlock(message.properties.dictionary).dictionary == message.properties.dictionary)
    }
    var links = LinkTracker()
    _ = links.begin()
    for message in RouteMessage.parse(bytes).messages {
        for change in links.handle(message).changes { _ = change.properties.dictionary }
    }
    _ = links.table.sorted.map { links.table.addresses(of: $0.index).map(\.text) }
    if let state = try? ObserverState(decoding: bytes) {
        guard let again = try? ObserverState(decoding: state.encoded()) else {
            fatalError("a state does not read back")
        }
        precondition(again.encoded() == state.encoded())
        for (_, section) in state.sections {
            if let table = try? DeviceTable(decoding: section) {
                guard let again = try? DeviceTable(decoding: table.encoded()) else { fatalError("no table of devices") }
                precondition(again.records == table.records)
            }
            if let table = try? LinkTable(decoding: section) {
                guard let again = try? LinkTable(decoding: table.encoded()) else { fatalError("no table of links") }
                precondition(again == table)
            }
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
