import CleatAPI
import CleatStore
import Testing

@testable import CleatAgent

/// Tests of the adapters' results in the store.
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

    @Test(arguments: [1, 40, 900, 4_000, 20_000])
    func theBeginningAndTheLastOfWhatIsTooLongAreKept(length: Int) throws {
        let message = String(repeating: "é", count: length)
        var results = (0..<200).map { AdapterResult(adapter: "\($0)", state: .applied, message: message) }
        results.append(AdapterResult(adapter: "last", state: .failed, message: message))
        let text = try #require(results.stored)
        #expect(text.utf8.count <= StoreLimits.resultsBytes)
        let kept = try #require([AdapterResult](stored: text))
        guard let note = kept.last, note.adapter == "cleat" else {
            #expect(kept == results && length == 1)
            return
        }
        #expect(kept.dropLast().last?.adapter == "last" && kept.dropLast().last?.state == .failed)
        #expect(kept.dropLast(2).map(\.adapter) == results.prefix(kept.count - 2).map(\.adapter))
        #expect(kept.dropLast().allSatisfy { $0.message == message || $0.message.hasSuffix("é…") })
        #expect(note.message.contains("\(results.count - kept.count + 1)"))
    }
}
