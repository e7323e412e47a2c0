import CleatAPI
import CleatSettings

/// What a command knows of a board on which a change is on trial: enough to find it again, and to say what will happen where
/// it cannot.
struct Following {
    /// Where notes are told; nil where they are not.
    var console: Console?
    /// Whether the command stays until the trial has ended.
    var waits = false
    /// Whether a change that ends the connection of this command is on trial first.
    var isGuarded = false
    /// How the board is reached as it was typed.
    var home: Destination?
    /// The board's store: another one is another board.
    var store: String?
    /// The id of the change.
    var id: String?
    /// By which addresses the board is reached; nil where the change does not touch the way that the command has come.
    var reach: Reach?
    /// Whether the board goes back to its old addresses, as with an abort.
    var goesBack = false
    /// The instant at which the change is undone by itself, as far as this is known.
    var deadline: ContinuousClock.Instant?
    /// The name under which the host's key is known, once it was looked for.
    var key: String?

    /// Whether the address by which the command has come is one that the board gives up.
    var isMoving: Bool { reach.map { !$0.new.isEmpty && !$0.new.contains($0.address) } ?? false }

    /// The other addresses at which the board may be, the likeliest first.
    var addresses: [String] {
        guard let reach else { return [] }
        // They go onto ssh's command line, and the board may not be what it says: what is no address is nothing.
        let others = (goesBack ? reach.old : reach.new).compactMap { InternetAddress($0)?.description }
            .filter { $0 != reach.address && !$0.hasPrefix("fe80:") }
        func isSixth(_ address: String) -> Bool { address.utf8.contains(UInt8(ascii: ":")) }
        let wanted = isSixth(reach.address)
        // Who has come by one family may not have the other one.
        return Array((others.filter { isSixth($0) == wanted } + others.filter { isSixth($0) != wanted }).prefix(4))
    }

    /// What becomes of the change where the board cannot be reached, and what to do then.
    var outlook: String {
        let change = id.map { "change \($0)" } ?? "the change"
        let look = "see `\(command("log"))`"
        guard let deadline else {
            return
                "whether \(change) was made is not known; unless somebody confirms it, it is undone by itself: \(look)"
        }
        let left = ContinuousClock.now.duration(to: deadline).components.seconds
        let time = left > 0 ? " within \(DurationText.text(milliseconds: left * 1_000))" : ""
        return "unless somebody confirms \(change), it is undone by itself\(time); then \(look)"
    }

    /// How a command for this board is typed.
    func command(_ words: String) -> String {
        guard case .remote(let access) = home else { return "cleat \(words)" }
        let port = access.host.port.map { " -P \($0)" } ?? ""
        return "cleat -H \(access.host.target)\(port) \(words)"
    }
}
