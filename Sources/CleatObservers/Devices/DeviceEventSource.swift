package import CleatIO

/// The result of one call of ``DeviceEventSource/receive()``.
package struct DeviceBatch: Sendable {
    /// The messages, in the order of their arrival.
    package var messages: [DeviceMessage]
    /// True if messages were lost before, between or after these.
    package var overrun: Bool

    /// Makes a batch from its parts.
    package init(messages: [DeviceMessage] = [], overrun: Bool = false) {
        self.messages = messages
        self.overrun = overrun
    }
}

/// The counters of a source since it was opened.
package struct DeviceSourceCounters: Sendable, Equatable {
    /// Messages that were returned to the caller.
    package var received = 0
    /// Messages whose sender is neither the kernel nor root's udevd; dropped.
    package var forged = 0
    /// Messages that are not valid uevents; dropped.
    package var malformed = 0
    /// Messages that were longer than the buffer.
    package var truncated = 0
    /// The number of times that the kernel reported dropped messages.
    package var overruns = 0

    /// Makes counters that are all zero.
    package init() {}
}

/// A source of device events.
///
/// It subscribes when it is created, so messages that arrive before ``walk()`` are not missed.
package protocol DeviceEventSource: Sendable {
    /// The kind of source.
    var backend: DeviceBackend { get }
    /// The counters since the source was opened.
    var counters: DeviceSourceCounters { get async }
    /// Waits for messages and returns a bounded number of those that have arrived.
    func receive() async throws -> DeviceBatch
    /// Starts a walk over all devices.
    func walk() async -> any DeviceWalk
    /// Stops listening.
    func close() async
}

/// A walk over all devices, a slice at a time, so that the loop can run other tasks in between.
package protocol DeviceWalk: Sendable {
    /// Returns more devices after reading about `limit` entries; nil at the end.
    mutating func next(_ limit: Int) async -> [DeviceRecord]?
}

extension SysfsWalk: DeviceWalk {}

/// Opens a source of device events on a loop, with a sysfs tree in which devices are looked up, and the size of the
/// kernel's receive buffer in bytes.
package typealias DeviceSourceOpener =
    @Sendable (EventLoop, Sysfs, Int) throws -> any DeviceEventSource

extension DeviceBackend {
    /// Opens the source.
    ///
    /// - Parameters:
    ///   - loop: The loop on which the source runs.
    ///   - sysfs: The sysfs tree in which devices are looked up.
    ///   - receiveBuffer: The size of the kernel's receive buffer, in bytes.
    ///   - libudev: Opens a source of libudev; nil if the program does not link it.
    /// - Returns: The source, subscribed.
    /// - Throws: ``ObserverError`` if the build does not include the source, or the kernel refuses to open it.
    package func open(
        on loop: EventLoop, sysfs: Sysfs, receiveBuffer: Int = NetlinkSocket.standardBuffer,
        libudev: DeviceSourceOpener?
    ) throws -> any DeviceEventSource {
        switch self {
        case .libudev:
            guard let libudev else {
                throw ObserverError(
                    .backendMissing, subject: description,
                    remedy: "build with the trait Udev, or choose another source of device events")
            }
            return try libudev(loop, sysfs, receiveBuffer)
        case .udevdGroup, .kernelGroup:
            return try NetlinkDeviceSource(loop: loop, backend: self, sysfs: sysfs, receiveBuffer: receiveBuffer)
        }
    }
}
