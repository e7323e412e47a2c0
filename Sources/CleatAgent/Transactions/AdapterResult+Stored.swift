import CleatAPI
import CleatJSON
import CleatStore

extension [AdapterResult] {
    /// The results of adapters as the store keeps them, in a JSON array; nil if there are none.
    ///
    /// If they are too long, the first ones and the last one, which may have failed, are kept, and an entry has the
    /// number of the omitted ones.
    var stored: String? {
        let texts = map(\.shortened.value.canonicalText)
        guard let last = texts.last else { return nil }
        if texts.reduce(1, { $0 + $1.utf8.count + 1 }) <= StoreLimits.resultsBytes { return Self.joined(texts) }
        // The brackets, the last result, and the entry with the number of omitted results.
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

    /// Decodes stored results; nil if this release cannot read them.
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
    /// The maximum size in bytes of one message that is kept.
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
