internal import CleatAPI
internal import CleatObservers

/// A waiting event; its properties are packed if the wait may be long, since a dictionary takes four times the memory.
struct StoredEvent: Sendable {
    private var event: Event
    private let packed: PropertyBlock?
    /// The approximate memory use in bytes.
    let bytes: Int

    init(_ event: Event, isPacked: Bool) {
        self.event = event
        if isPacked {
            let block = PropertyBlock(event.properties)
            self.event.properties = [:]
            packed = block
            bytes = 320 + event.subject.utf8.count + block.bytes.count
        } else {
            packed = nil
            bytes = event.properties.reduce(320 + event.subject.utf8.count) {
                $0 + $1.key.utf8.count + $1.value.utf8.count + 64
            }
        }
    }

    /// The event as it was stored.
    var unpacked: Event {
        guard let packed else { return event }
        var event = event
        event.properties = packed.dictionary
        return event
    }
}
