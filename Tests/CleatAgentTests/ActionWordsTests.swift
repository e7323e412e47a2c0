import CleatAPI
import CleatTestSupport
import Testing

@testable import CleatAdapters
@testable import CleatAgent

/// The messages about programs that reload a change.
@Suite(.tags(.fault)) struct ActionWordsTests {
    /// Seen before: "have systemd-networkd read its files again: have systemd-networkd read its files again".
    @Test func nothingIsSaidTwice() {
        let done = ActionResult(title: "read it again", outcome: .done, duration: .zero)
        for adapter in ["read it again", "networkd"] {
            #expect(CleatAPI.AdapterResult(done, of: adapter).message == "done: read it again")
        }
    }
}
