/// Follows the devices through messages and walks: the state machine behind ``DeviceObserver``.
///
/// Messages are applied as they come. A walk looks at all devices; at its end, what it found and what is known are
/// compared, apart from devices that a message told of meanwhile, which the walk may have met before or after. A walk
/// during which messages were lost, or paths were moved, is made again.
package struct DeviceTracker: Sendable {
    /// What follows from the end of a walk.
    package enum Outcome: Sendable, Hashable {
        /// The walk must be made again.
        case walkAgain
        /// The state is whole; this is what had changed unnoticed.
        case settled([DeviceDifference])
    }

    private struct Walk: Sendable {
        var touched: Set<String> = []
        var found = DeviceTable()
        var again = false
        var sequenceNumber: UInt64
    }

    private static let touchedLimit = 16_384
    private static let toldLimit = 4_096

    /// The devices as they are known.
    package private(set) var table = DeviceTable()
    /// Whether the first walk is over.
    package private(set) var isSettled = false
    private var walk: Walk?
    /// What the last walk told of, by path: the same told again by a message that was still under way is dropped.
    private var told: [String: String] = [:]
    private var toldUpTo: UInt64 = 0

    /// Makes a tracker that knows of no device yet.
    package init() {}

    /// Whether a walk is under way.
    package var isWalking: Bool { walk != nil }

    /// Begins a walk.
    ///
    /// - Parameter sequenceNumber: The kernel's number of the last uevent, read before the walk: what has a lower number
    ///   the walk will see. 0 where it is not known.
    package mutating func beginWalk(sequenceNumber: UInt64) {
        walk = Walk(sequenceNumber: sequenceNumber)
    }

    /// Takes word that messages were lost; returns whether a walk must begin.
    ///
    /// One that is under way is made again by itself.
    package mutating func overrun() -> Bool {
        guard walk != nil else { return true }
        walk?.again = true
        return false
    }

    /// Takes a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - isListed: Says whether the subsystem's devices are listed by the kernel, and so found by a walk.
    /// - Returns: Whether it is to be told.
    package mutating func handle(_ message: DeviceMessage, isListed: (_ subsystem: String) -> Bool) -> Bool {
        let isNew = isNews(message)
        guard message.devpath.hasPrefix("/devices/") else { return isNew }
        touch(message.devpath)
        switch message.action {
        case "remove":
            table.remove(message.devpath)
        case "move":
            if let old = message.oldDevpath {
                touch(old)
                table.move(from: old, to: message.devpath)
                walk?.again = true
            }
            take(message, isListed: isListed)
        default:
            take(message, isListed: isListed)
        }
        return isNew
    }

    private mutating func take(_ message: DeviceMessage, isListed: (String) -> Bool) {
        guard let record = DeviceRecord(message), isListed(record.subsystem) else { return }
        table.update(record)
    }

    private mutating func touch(_ devpath: String) {
        guard let count = walk?.touched.count else { return }
        if count < Self.touchedLimit {
            walk?.touched.insert(devpath)
        } else {
            walk?.again = true
        }
    }

    private mutating func isNews(_ message: DeviceMessage) -> Bool {
        guard !told.isEmpty, let action = told[message.devpath] else { return true }
        told[message.devpath] = nil
        guard let number = message.sequenceNumber, number <= toldUpTo else { return true }
        return action != message.action
    }

    /// Takes devices that the walk has found.
    package mutating func found(_ records: [DeviceRecord]) {
        for record in records { walk?.found.update(record) }
    }

    /// Ends the walk.
    package mutating func endWalk() -> Outcome {
        guard let walk else { return .settled([]) }
        self.walk = nil
        if walk.again { return .walkAgain }
        if !isSettled, table.count == 0, walk.touched.isEmpty {
            // The usual first look: nothing to compare, nothing to tell, no second copy.
            table = walk.found
            isSettled = true
            return .settled([])
        }
        let differences = table.differences(to: walk.found, ignoring: walk.touched)
        for difference in differences {
            switch difference {
            case .appeared(let record), .altered(let record): table.update(record)
            case .disappeared(let record): table.remove(record.devpath)
            }
        }
        guard isSettled else {
            isSettled = true
            return .settled([])
        }
        told = [:]
        toldUpTo = walk.sequenceNumber
        for difference in differences.prefix(Self.toldLimit) where walk.sequenceNumber > 0 {
            if case .altered = difference { continue }
            told[difference.record.devpath] = difference.action
        }
        return .settled(differences)
    }
}
