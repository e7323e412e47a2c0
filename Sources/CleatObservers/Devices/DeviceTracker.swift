/// Tracks the devices through messages and walks: the state machine behind ``DeviceObserver``.
///
/// Messages are applied as they arrive. A walk reads all devices; at its end, its result is compared with the table,
/// except for devices that a message named during the walk, since the walk may have read them before or after. A walk
/// during which messages were lost, or paths were moved, is repeated.
package struct DeviceTracker: Sendable {
    /// The result of a walk.
    package enum Outcome: Sendable, Equatable {
        /// The walk must be repeated.
        case walkAgain
        /// The table is complete; the associated value has the changes that no message reported.
        case complete([DeviceDifference])
    }

    private struct Walk: Sendable {
        var touched: Set<String> = []
        var found = DeviceTable()
        var again = false
        var sequenceNumber: UInt64
    }

    private static let touchedLimit = 16_384
    private static let reportedLimit = 4_096

    /// The known devices.
    package private(set) var table = DeviceTable()
    /// True if the first walk is complete.
    package private(set) var isComplete = false
    private var walk: Walk?
    /// The actions that the last walk reported, by path.
    ///
    /// A message that was still queued and repeats one of them is dropped.
    private var reported: [String: String] = [:]
    private var reportedUpTo: UInt64 = 0

    /// Makes a tracker with an empty table.
    package init() {}

    /// Starts a walk.
    ///
    /// - Parameter sequenceNumber: The kernel's number of the last uevent, read before the walk; 0 if it is unknown.
    ///   The walk sees the effect of every uevent up to this number.
    package mutating func beginWalk(sequenceNumber: UInt64) {
        walk = Walk(sequenceNumber: sequenceNumber)
    }

    /// Notes that messages were lost; returns true if the caller must start a walk.
    ///
    /// A walk in progress is repeated at its end without that.
    package mutating func overrun() -> Bool {
        guard walk != nil else { return true }
        walk?.again = true
        return false
    }

    /// Applies a message to the table.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - isListed: A closure that returns true if the kernel lists the subsystem's devices, so that a walk finds
    ///     them.
    /// - Returns: True if the message is to be published.
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
        guard !reported.isEmpty, let action = reported[message.devpath] else { return true }
        reported[message.devpath] = nil
        guard let number = message.sequenceNumber, number <= reportedUpTo else { return true }
        return action != message.action
    }

    /// Adds devices that the walk has found.
    package mutating func found(_ records: [DeviceRecord]) {
        for record in records { walk?.found.update(record) }
    }

    /// Ends the walk and compares its result with the table.
    package mutating func endWalk() -> Outcome {
        guard let walk else { return .complete([]) }
        self.walk = nil
        if walk.again { return .walkAgain }
        if !isComplete, table.count == 0, walk.touched.isEmpty {
            // The usual first walk has nothing to compare or publish, and needs no second copy.
            table = walk.found
            isComplete = true
            return .complete([])
        }
        let differences = table.differences(to: walk.found, ignoring: walk.touched)
        for difference in differences {
            switch difference {
            case .appeared(let record), .altered(let record): table.update(record)
            case .disappeared(let record): table.remove(record.devpath)
            }
        }
        guard isComplete else {
            isComplete = true
            return .complete([])
        }
        reported = [:]
        reportedUpTo = walk.sequenceNumber
        for difference in differences.prefix(Self.reportedLimit) where walk.sequenceNumber > 0 {
            if case .altered = difference { continue }
            reported[difference.record.devpath] = difference.action
        }
        return .complete(differences)
    }
}
