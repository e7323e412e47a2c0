import CleatObservers

/// Feeds bytes to every parser of messages, and what they make of them to the state machines behind.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNetlink(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
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
        precondition(again.devices == state.devices && again.links == state.links)
    }
    return 0
}
