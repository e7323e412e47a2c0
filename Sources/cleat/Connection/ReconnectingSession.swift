import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews

/// A session that finds its board again after a lost connection, a restart of the service or a change of the board's
/// address.
final class ReconnectingSession {
    /// The session; after a reconnection the same object has the new connection.
    let session: Session
    /// The state of the board that is followed through a change on trial.
    var following: Following

    /// Creates a reconnecting session from an open one.
    init(_ session: Session, _ following: Following = Following()) {
        self.session = session
        self.following = following
    }

    /// The time limit of one reply on a reopened connection, before the next address is tried.
    private static let patience = Duration.seconds(20)

    /// The time for which a board is retried after its confirm window has passed: a board that restarts needs some.
    var grace: Duration { isRemote ? .seconds(30) : .seconds(5) }

    /// True if the board is reached through ssh.
    var isRemote: Bool { if case .remote = session.destination { true } else { false } }

    /// Makes calls, and repeats them if the connection is lost.
    ///
    /// - Parameters:
    ///   - time: the time for which the board is retried.
    ///   - body: the closure that makes the calls; it can run several times.
    /// - Returns: the reply.
    /// - Throws: the board's refusal; if the board is not found, that error, with the change's outcome.
    func retrying<Reply>(
        for time: Duration, _ body: (Session) throws(CommandError) -> Reply
    ) throws(CommandError) -> Reply {
        do {
            return try body(session)
        } catch {
            guard error.isLost else { throw error }
            return try reconnecting(after: error, until: .now + time, body)
        }
    }

    /// Reconnects to the board until it answers, and makes the calls.
    ///
    /// - Parameters:
    ///   - error: the reason why the connection was lost; nil if it was closed on purpose.
    ///   - limit: the instant after which there is no further attempt.
    ///   - body: the closure that makes the calls; it can run several times.
    /// - Returns: the reply.
    /// - Throws: the board's refusal; if the board is not found, that error, with the change's outcome.
    func reconnecting<Reply>(
        after error: CommandError?, until limit: ContinuousClock.Instant,
        _ body: (Session) throws(CommandError) -> Reply
    ) throws(CommandError) -> Reply {
        if let error {
            let time = max(0, ContinuousClock.now.duration(to: limit).components.seconds) * 1_000
            note("\(error.message); retrying for another \(DurationText.text(milliseconds: time))")
        }
        var last: CommandError
        var retrying = Retrying(until: limit, longest: isRemote ? .seconds(4) : .milliseconds(500))
        while true {
            let watch = SocketWatch(socket)
            do {
                try reopen()
                return try body(session)
            } catch {
                guard error.isLost else { throw error }
                last = error
            }
            guard let pause = retrying.next() else { break }
            watch.wait(milliseconds: pause)
        }
        last.remedy = following.outlook
        throw last
    }

    /// Connects to the board's new address during a trial, and prints which of its addresses answers.
    ///
    /// - Throws: a ``CommandError`` if no address answers and the command does not wait for the trial's end.
    func moveToNewAddress() throws(CommandError) {
        guard following.isMoving, case .remote(let home) = following.home, let reach = following.reach else { return }
        var failures: [String] = []
        for address in following.addresses {
            do {
                session.takeOver(try open(moved(home, to: address)))
                note("the board answers at \(address), its new address on \(reach.link)")
                return
            } catch {
                failures.append("\(address): \(error.reason)")
            }
        }
        for failure in failures { note("the board's new address on \(reach.link) does not answer: \(failure)") }
        do {
            _ = try session.call(TransactionsInterface.Pending.self, .init())
        } catch {
            guard error.isLost else { throw error }
            do {
                session.takeOver(try open(.remote(home.renewed)))
            } catch {
                if following.waits { return }
                throw unreachable(failures + ["\(home.host.target): \(error.reason)"])
            }
        }
        note("the board answers at \(home.host.target) (\(reach.address)), as before")
    }

    /// Opens the connection again, at the first of the board's addresses that answers.
    func reopen() throws(CommandError) {
        session.leave()
        guard case .remote(let home) = following.home else {
            session.takeOver(try open(session.destination))
            return
        }
        var failures: [String] = []
        let addresses = following.isMoving || following.goesBack ? following.addresses : []
        for address in addresses {
            do {
                session.takeOver(try open(moved(home, to: address)))
                note("the board answers at \(address)")
                return
            } catch {
                failures.append("\(address): \(error.reason)")
            }
        }
        do {
            session.takeOver(try open(.remote(home.renewed)))
            if let address = following.reach?.address, !addresses.isEmpty {
                note("the board answers at \(home.host.target) (\(address))")
            }
        } catch {
            if failures.isEmpty { throw error }
            throw unreachable(failures + ["\(home.host.target): \(error.reason)"])
        }
    }

    private func moved(_ home: RemoteAccess, to address: String) -> Destination {
        let key = following.key ?? HostKeyName.find(for: home)
        following.key = key
        return .remote(home.moved(to: address, key: key))
    }

    /// Opens a connection, and checks that it leads to the same board.
    private func open(_ place: Destination) throws(CommandError) -> Session {
        let other = try Session(place, timeLimit: Self.patience)
        do throws(CommandError) {
            let log = try other.call(SettingsInterface.Log.self, .init(limit: 1))
            if let store = following.store, log.store != store { throw otherBoard(log.store) }
            return other
        } catch {
            other.leave()
            throw error
        }
    }

    private func otherBoard(_ store: String) -> CommandError {
        CommandError(
            status: .conflict, layer: .connect, code: "OtherBoard",
            message: "another board answers, with the store \(store)", remedy: following.outlook)
    }

    private func unreachable(_ failures: [String]) -> CommandError {
        CommandError(
            status: .unavailable, layer: .connect, code: "Unreachable",
            message: "the board answers at none of its addresses", details: failures, remedy: following.outlook)
    }

    /// The socket of a service on this machine; empty for a remote one.
    private var socket: String { if case .local(let path) = session.destination { path } else { "" } }

    /// Prints that nothing enforces the confirm window after this command, if its service ends with it.
    func warnOfUnenforcedWindow() {
        guard let root = RootService.ownRoot(socket: socket) else { return }
        note(
            "nothing enforces the confirm window after this command: the next `cleat --root \(root)` reverts the change"
        )
    }

    /// Prints a note to standard error.
    func note(_ text: String) {
        guard var renderer = following.console?.renderer else { return }
        renderer.colour = false
        Console.printError(renderer.renderItem(NoteView(note: "cleat: \(text)", state: "following")))
    }

    /// Adds the address to which a confirmed change has moved the board to ssh's known hosts, and prints a note if it
    /// did.
    func rememberAddress() {
        guard case .remote(let access) = session.destination, let address = access.address,
            case .remote(let home) = following.home
        else { return }
        let name = following.key ?? HostKeyName.find(for: home)
        if KnownHosts.add(address, like: name, for: home) {
            note("\(address) was added to the hosts that ssh knows, with the key of \(name)")
        }
    }
}
