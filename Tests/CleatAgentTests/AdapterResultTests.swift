import CleatAPI
import CleatStore
import Testing

@testable import CleatAgent

/// What the store keeps of what adapters did.
@Suite struct AdapterResultTests {
    @Test func theyComeBackAsTheyWere() throws {
        let results = AdapterResult.State.allCases.map {
            AdapterResult(adapter: "a \($0)", state: $0, message: "\"é\n")
        }
        #expect([AdapterResult](stored: try #require(results.stored)) == results)
        #expect([AdapterResult]().stored == nil)
        for text in ["", "{}", "[1]", #"[{"adapter":"a"}]"#, #"[{"adapter":"a","message":"m","state":"later"}]"#] {
            #expect([AdapterResult](stored: text) == nil, "\(text)")
        }
    }

    @Test(arguments: [1, 40, 4_000, 20_000])
    func theBeginningOfWhatIsTooLongIsKept(length: Int) throws {
        let message = String(repeating: "m", count: length)
        let results = (0..<200).map { AdapterResult(adapter: "\($0)", state: .applied, message: message) }
        let text = try #require(results.stored)
        #expect(text.utf8.count <= StoreLimits.resultsBytes)
        let kept = try #require([AdapterResult](stored: text))
        guard let last = kept.last, last.adapter == "cleat" else {
            #expect(kept == results)
            return
        }
        #expect(Array(results.prefix(kept.count - 1)) == Array(kept.dropLast()))
        #expect(last.message == "\(results.count - kept.count + 1) more results were too long to be kept")
    }
}
