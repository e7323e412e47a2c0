import CleatIO
import Logging
import Synchronization

/// The log lines about clients at the socket, with a limit, since every user may connect while there are tokens.
final class ClientLog: Sendable {
    private struct State {
        var limiter = RateLimiter(burst: 20, interval: .seconds(10))
        var omitted = 0
    }

    private let log: Logger
    private let state = Mutex(State())

    init(_ log: Logger) { self.log = log }

    /// Writes a warning about a client.
    func warn(of peer: PeerCredentials, _ text: String, now: BootTime = .now()) { write(.warning, peer, text, now) }

    /// Writes information about a client.
    func inform(of peer: PeerCredentials, _ text: String, now: BootTime = .now()) { write(.info, peer, text, now) }

    private func write(_ level: Logger.Level, _ peer: PeerCredentials, _ text: String, _ now: BootTime) {
        guard level >= log.logLevel else { return }
        let omitted = state.withLock { state -> Int? in
            guard state.limiter.admit(now) == nil else {
                state.omitted += 1
                return nil
            }
            defer { state.omitted = 0 }
            return state.omitted
        }
        guard let omitted else { return }
        if omitted > 0 { log.log(level: level, "\(omitted) lines about clients were omitted") }
        log.log(level: level, "client of user \(peer.uid), pid \(peer.pid): \(text)")
    }
}
