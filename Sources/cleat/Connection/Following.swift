import CleatAPI
import CleatSettings

/// The state of a command that follows a change on trial: enough to find the board again, or to describe the outcome if
/// the board cannot be found.
struct Following {
    /// The console for notes; nil to print none.
    var console: Console?
    /// True if the command waits until the trial has ended.
    var waits = false
    /// True if a change that ends the connection of this command is put on trial first.
    var isGuarded = false
    /// The board's destination as it was typed.
    var home: Destination?
    /// The id of the board's store: another id means another board.
    var store: String?
    /// The id of the change.
    var id: String?
    /// The board's old and new addresses; nil if the change does not affect the connection of this command.
    var reach: Reach?
    /// True if the board returns to its old addresses, as with an abort.
    var goesBack = false
    /// The instant at which the change is reverted unless it is confirmed, as far as this is known.
    var deadline: ContinuousClock.Instant?
    /// The name under which ssh knows the host's key, once it was looked up.
    var key: String?

    /// True if the board gives up the address of this connection.
    var isMoving: Bool { reach.map { !$0.new.isEmpty && !$0.new.contains($0.address) } ?? false }

    /// The other addresses at which the board may be, the most likely first.
    var addresses: [String] {
        guard let reach else { return [] }
        // The addresses become arguments of ssh, and the board is not trusted: what is not a valid address is dropped.
        let others = (goesBack ? reach.old : reach.new).compactMap { InternetAddress($0)?.description }
            .filter { $0 != reach.address && !$0.hasPrefix("fe80:") }
        func isSixth(_ address: String) -> Bool { address.utf8.contains(UInt8(ascii: ":")) }
        let wanted = isSixth(reach.address)
        // A client that has connected by one address family may not have the other one.
        return Array((others.filter { isSixth($0) == wanted } + others.filter { isSixth($0) != wanted }).prefix(4))
    }

    /// A description of the change's outcome if the board cannot be reached, with the next step.
    var outlook: String {
        let change = id.map { "change \($0)" } ?? "the change"
        let look = "see `\(command("log"))`"
        guard let deadline else {
            return
                "the outcome of \(change) is unknown; it reverts unless it is confirmed: \(look)"
        }
        let left = ContinuousClock.now.duration(to: deadline).components.seconds
        let time = left > 0 ? " within \(DurationText.text(milliseconds: left * 1_000))" : ""
        return "\(change) reverts\(time) unless it is confirmed; then \(look)"
    }

    /// Returns a `cleat` command for this board, as the user would type it.
    func command(_ words: String) -> String {
        guard case .remote(let access) = home else { return "cleat \(words)" }
        let port = access.host.port.map { " -P \($0)" } ?? ""
        return "cleat -H \(access.host.target)\(port) \(words)"
    }
}
