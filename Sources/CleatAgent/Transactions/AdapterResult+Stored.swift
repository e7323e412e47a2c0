import CleatAPI
import CleatJSON
import CleatStore

extension [AdapterResult] {
    /// What adapters did as the store keeps it, in a JSON array; nil where they did nothing.
    ///
    /// Of what is too long the beginning is kept, and the last entry says how much is left out.
    var stored: String? {
        if isEmpty { return nil }
        var items = map(\.value)
        var left = 0
        while true {
            let told =
                left == 0
                ? items
                : items + [
                    AdapterResult(
                        adapter: "cleat", state: .applied, message: "\(left) more results were too long to be kept"
                    ).value
                ]
            let text = JSONValue.array(told).canonicalText
            if text.utf8.count <= StoreLimits.resultsBytes || items.isEmpty { return text }
            items.removeLast()
            left += 1
        }
    }

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
    fileprivate var value: JSONValue {
        ["adapter": .string(adapter), "state": .string(state.rawValue), "message": .string(message)]
    }
}
