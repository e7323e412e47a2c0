package import CleatIO

/// What a source of device events has received at once.
package struct DeviceBatch: Sendable {
    /// The messages in order.
    package var messages: [DeviceMessage]
    /// Whether messages were lost, before, between or after these.
    package var overrun: Bool

    /// Makes a batch of its parts.
    package init(messages: [DeviceMessage] = [], overrun: Bool = false) {
        self.messages = messages
        self.overrun = overrun
    }
}

/// What a source has counted since it was opened.
package struct DeviceSourceCounters: Sendable, Hashable {
    /// Messages that were passed on.
    package var received = 0
    /// Messages of a sender that is neither the kernel nor root's udevd; dropped.
    package var forged = 0
    /// Messages that are no uevents; dropped.
    package var malformed = 0
    /// Messages that were longer than the buffer.
    package var truncated = 0
    /// How often the kernel said that it had dropped messages.
    package var overruns = 0

    /// Makes counters that stand at zero.
    package init() {}
}

/// A source of device events.
///
/// It subscribes when it is made, so what happens between that and ``walk()`` is not missed.
package protocol DeviceEventSource: Sendable {
    /// Which way it is.
    var backend: DeviceBackend { get }
    /// What it has counted.
    var counters: DeviceSourceCounters { get async }
    /// Waits for messages and returns what is there, but not too much at once.
    func receive() async throws -> DeviceBatch
    /// Begins to look at all devices.
    func walk() async -> any DeviceWalk
    /// Stops listening.
    func close() async
}

/// A look at all devices, a slice at a time, so that the loop can do other things in between.
package protocol DeviceWalk: Sendable {
    /// Returns more devices, having looked at about `limit`; nil at the end.
    mutating func next(_ limit: Int) async -> [DeviceRecord]?
}

extension SysfsWalk: DeviceWalk {}

extension DeviceBackend {
    /// Opens the source.
    ///
    /// - Parameters:
    ///   - loop: The loop that it lives on.
    ///   - sysfs: Where devices are looked up.
    ///   - receiveBuffer: How much the kernel keeps for it.
    /// - Returns: The source, subscribed.
    /// - Throws: ``ObserverError`` where the build does not have it, or the kernel refuses.
    package func open(
        on loop: EventLoop, sysfs: Sysfs, receiveBuffer: Int = NetlinkSocket.standardBuffer
    ) throws -> any DeviceEventSource {
        switch self {
        case .libudev:
            #if Udev
                return try UdevDeviceSource(loop: loop, sysfs: sysfs, receiveBuffer: receiveBuffer)
            #else
                throw ObserverError(
                    .backendMissing, subject: description,
                    remedy: "build with the trait Udev, or choose another source of device events")
            #endif
        case .udevdGroup, .kernelGroup:
            return try NetlinkDeviceSource(loop: loop, backend: self, sysfs: sysfs, receiveBuffer: receiveBuffer)
        }
    }
}
