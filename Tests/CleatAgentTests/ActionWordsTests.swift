import CleatAPI
import CleatTestSupport
import Testing

@testable import CleatAdapters
@testable import CleatAgent

/// The messages about programs that reload a change.
@Suite(.tags(.fault)) struct ActionWordsTests {
    /// Seen before: "make systemd-networkd reload its files: make systemd-networkd reload its files".
    @Test func nothingIsReportedTwice() {
        let done = ActionResult(title: "read it again", outcome: .done, duration: .zero)
        for adapter in ["read it again", "networkd"] {
            #expect(AdapterResult(done, of: adapter).message == "done: read it again")
        }
    }

    @Test func eachFileAndValueHasAResult() {
        var result = AdapterOutcome(adapter: "a")
        result.written = [.file("/etc/a"), .file("/etc/b"), .hostName]
        result.removed = [.file("/etc/b")]
        result.skipped = [
            .init(resource: .interface("eth0"), reason: "it is not here", isUnmet: true),
            .init(resource: .file("/etc/c"), reason: "it is as it was"),
            .init(resource: .line("/etc/hosts", word: "127.0.1.1"), reason: "the file has no such line", isUnmet: true),
        ]
        let results = AdapterResult.results(result)
        #expect(
            results.map(\.message) == [
                "wrote /etc/a", "removed /etc/b", "set the kernel's host name",
                "skipped the interface eth0: it is not here", "skipped /etc/c: it is as it was",
            ])
        #expect(results.map(\.level) == [.normal, .normal, .normal, .warning, .detail])
        #expect(results.allSatisfy { $0.state == .applied })
    }

    @Test func anUnchangedKernelIsReportedOnce() {
        var result = AdapterOutcome(adapter: "a")
        result.skipped = [Resource.hostName, .attribute("/proc/sys/a")].map {
            .init(resource: $0, reason: SystemResources.belowRoot, isUnmet: true)
        }
        let results = AdapterResult.results(result)
        #expect(results.map(\.message) == [SystemResources.belowRoot])
        #expect(results.first?.level == .normal && results.first?.state == .notApplied)
    }
}
