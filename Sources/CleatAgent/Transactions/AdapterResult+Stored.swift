import CleatAPI
import CleatJSON
import CleatStore

extension [AdapterResult] {
    /// What adapters did as the store keeps it, in a JSON array; nil where they did nothing.
    ///
    /// Of what is too long the beginning and the last one, which may have failed, are kept, and an entry says how much is
    /// left out.
    var stored: String? {
        let texts = map(\.shortened.value.canonicalText)
        guard let last = texts.last else { return nil }
        if texts.reduce(1, { $0 + $1.utf8.count + 1 }) <= StoreLimits.resultsBytes { return Self.joined(texts) }
        // The brackets, the last one, and the entry that says how much is left out.
        var room = StoreLimits.resultsBytes - last.utf8.count - 128
        let beginning = texts.dropLast().prefix { text in
            room -= text.utf8.count + 1
            return room >= 0
        }
        let left = AdapterResult(
            adapter: "cleat", state: .applied,
            message: "\(texts.count - 1 - beginning.count) more results were too long to be kept")
        return Self.joined(beginning + [last, left.value.canonicalText])
    }

    private static func joined(_ texts: [String]) -> String { "[" + texts.joined(separator: ",") + "]" }

    /// Reads what the store keeps; nil where this release cannot read it.
    init?(stored: String) {
        guard let items = (try? JSONReader.read(stored))?.arrayValue else { return nil }
        var results: [AdapterResult] = []
        for item in items {
            guard let adapter = item["adapter"]?.stringValue, let message = item["message"]?.stringValue,
                let state = item["state"]?.stringValue.flatMap(AdapterResult.State.init(rawValue:))
            else { return nil }
            results.append(AdapterResult(adapter: adapter, state: state, message: message))
        }
        self = results
    }
}

extension AdapterResult {
    /// The most bytes of one message that are kept.
    private static let messageBytes = 1_024

    fileprivate var shortened: AdapterResult {
        guard message.utf8.count > Self.messageBytes else { return self }
        var text = String(message.prefix(Self.messageBytes))
        while text.utf8.count > Self.messageBytes { text.removeLast() }
        return AdapterResult(adapter: adapter, state: state, message: text + "…")
    }

    fileprivate var value: JSONValue {
        ["adapter": .string(adapter), "state": .string(state.rawValue), "message": .string(message)]
    }
}
