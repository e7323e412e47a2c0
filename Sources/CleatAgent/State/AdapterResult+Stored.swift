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
        var space = StoreLimits.resultsBytes - last.utf8.count - 128
        let beginning = texts.dropLast().prefix { text in
            space -= text.utf8.count + 1
            return space >= 0
        }
        let left = AdapterResult(
            adapter: "cleat", state: .applied, level: .detail,
            message: "\(texts.count - 1 - beginning.count) more results were too long to be kept")
        return Self.joined(beginning + [last, left.value.canonicalText])
    }

    /// The approximate maximum size in bytes of the results in one reply: the changes need the rest.
    private static var replyBytes: Int { 224 * 1_024 }

    /// The results as far as they fit into a reply: the first ones, the number of the omitted ones, and the last one,
    /// which may have failed.
    var bounded: [AdapterResult] {
        var bytes = 0
        let kept = prefix { result in
            bytes += 96 + result.adapter.utf8.count + result.message.utf8.count
            return bytes <= Self.replyBytes
        }
        guard kept.count < count, let last else { return self }
        let omitted = AdapterResult(
            adapter: "cleat", state: .applied, level: .normal,
            message: "\(count - 1 - kept.count) more results are too long for one reply")
        return kept + [omitted, last]
    }

    private static func joined(_ texts: [String]) -> String { "[" + texts.joined(separator: ",") + "]" }

    /// Decodes stored results; nil if this release cannot read them.
    init?(stored: String) {
        guard let items = (try? JSONReader.read(stored))?.arrayValue else { return nil }
        var results: [AdapterResult] = []
        for item in items {
            guard let adapter = item["adapter"]?.stringValue, let message = item["message"]?.stringValue,
                let state = item["state"]?.stringValue.flatMap(AdapterResult.State.init(rawValue:)),
                let level = item["level"]?.stringValue.flatMap(AdapterResult.Level.init(rawValue:))
            else { return nil }
            results.append(AdapterResult(adapter: adapter, state: state, level: level, message: message))
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
        return AdapterResult(adapter: adapter, state: state, level: level, message: text + "…")
    }

    fileprivate var value: JSONValue {
        [
            "adapter": .string(adapter), "state": .string(state.rawValue), "level": .string(level.rawValue),
            "message": .string(message),
        ]
    }
}
