import CleatIO
import Logging
import Synchronization
import Testing

@testable import CleatAgent

struct ClientLogTests {
    /// A handler that keeps the messages.
    private struct Kept: LogHandler {
        final class Lines: Sendable {
            let all = Mutex<[String]>([])
        }

        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.all.withLock { $0.append("\(event.message)") } }
    }

    @Test("Of many lines at once some are written; the next one that is written has the number of the others")
    func limit() {
        let lines = Kept.Lines()
        let log = ClientLog(Logger(label: "test") { _ in Kept(lines: lines) })
        let peer = PeerCredentials(pid: 7, uid: 1_000, gid: 1_000, groups: [])
        var now = BootTime(milliseconds: 1_000_000)
        // Lines below the log's level do not count.
        for _ in 0..<100 { log.inform(of: peer, "quiet", now: now) }
        for number in 0..<100 { log.warn(of: peer, "line \(number)", now: now) }
        #expect(lines.all.withLock(\.self).count == 20)
        #expect(lines.all.withLock(\.self).first == "client of user 1000, pid 7: line 0")
        now = now.advanced(by: .seconds(10))
        log.warn(of: peer, "later", now: now)
        #expect(
            lines.all.withLock(\.self).suffix(2)
                == ["80 lines about clients were omitted", "client of user 1000, pid 7: later"])
    }
}
