import CleatAPI
import CleatTestSupport
import Testing

@testable import CleatAdapters
@testable import CleatAgent

/// What people are told of programs that take a change up.
@Suite(.tags(.fault)) struct ActionWordsTests {
    /// Seen before: "have systemd-networkd read its files again: have systemd-networkd read its files again".
    @Test func nothingIsSaidTwice() {
        let done = ActionResult(title: "read it again", outcome: .done, duration: .zero)
        for adapter in ["read it again", "networkd"] {
            #expect(CleatAPI.AdapterResult(done, of: adapter).message == "done: read it again")
        }
    }
}
