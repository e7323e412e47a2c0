package import CleatIO
internal import SystemPackage

/// Device events straight from netlink: the kernel's own (group 1) or udevd's (group 2).
///
/// A message is accepted only if its sender is genuine: the kernel's messages come from port 0 and process 0, udevd's
/// are sent to the group by a process of root. NETLINK_KOBJECT_UEVENT, netlink(7), unix(7) (SCM_CREDENTIALS)
package actor NetlinkDeviceSource: DeviceEventSource {
    /// The largest number of messages in one batch.
    private static let batch = 64
    /// The longest message in bytes; udevd's are at most 8 KiB so far.
    private static let capacity = 64 * 1024

    package nonisolated let backend: DeviceBackend
    package private(set) var counters = DeviceSourceCounters()
    private let loop: EventLoop
    private let socket: NetlinkSocket
    private let sysfs: Sysfs

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Subscribes to a group.
    ///
    /// - Parameters:
    ///   - loop: The loop on which the source runs.
    ///   - backend: ``DeviceBackend/udevdGroup`` or ``DeviceBackend/kernelGroup``.
    ///   - sysfs: The sysfs tree in which devices are looked up.
    ///   - receiveBuffer: The size of the kernel's receive buffer, in bytes.
    /// - Throws: ``ObserverError`` if the kernel refuses the socket.
    package init(
        loop: EventLoop, backend: DeviceBackend, sysfs: Sysfs, receiveBuffer: Int = NetlinkSocket.standardBuffer
    ) throws(ObserverError) {
        self.loop = loop
        self.backend = backend
        self.sysfs = sysfs
        do throws(Errno) {
            socket = try NetlinkSocket(
                .uevent, groups: Self.group(of: backend), receiveBuffer: receiveBuffer, capacity: Self.capacity,
                loop: loop)
        } catch {
            throw ObserverError(
                .open, subject: "the \(backend)", underlying: error,
                remedy: "check that AF_NETLINK sockets are allowed (RestrictAddressFamilies of the unit)")
        }
    }

    private static func group(of backend: DeviceBackend) -> UInt32 {
        backend == .udevdGroup ? 2 : 1
    }

    package func receive() async throws -> DeviceBatch {
        while true {
            let (batch, drained) = try takeBatch()
            if batch.overrun || !batch.messages.isEmpty { return batch }
            // A batch of dropped messages must not keep the loop from other tasks.
            if drained { try await socket.readable() } else { await loop.yield() }
            try Task.checkCancellation()
        }
    }

    private func takeBatch() throws -> (batch: DeviceBatch, drained: Bool) {
        var batch = DeviceBatch()
        for _ in 0..<Self.batch {
            switch try reception() {
            case .nothing: return (batch, true)
            case .overrun:
                counters.overruns += 1
                batch.overrun = true
            case .message(let bytes, let sender):
                guard isGenuine(sender) else {
                    counters.forged += 1
                    continue
                }
                if sender.truncated {
                    counters.truncated += 1
                    batch.overrun = true
                    continue
                }
                do throws(DeviceMessageError) {
                    let message =
                        backend == .udevdGroup
                        ? try DeviceMessage(udevd: bytes) : try DeviceMessage(kernel: bytes)
                    batch.messages.append(message)
                    counters.received += 1
                } catch {
                    counters.malformed += 1
                }
            }
        }
        return (batch, false)
    }

    private func reception() throws(ObserverError) -> NetlinkSocket.Reception {
        do throws(Errno) {
            return try socket.receive()
        } catch {
            throw ObserverError(
                .receive, subject: "the \(backend)", underlying: error, remedy: "the service must be started again")
        }
    }

    private func isGenuine(_ sender: NetlinkSocket.Sender) -> Bool {
        guard sender.groups == Self.group(of: backend) else { return false }
        switch backend {
        case .udevdGroup: return sender.user == 0
        default: return sender.port == 0 && sender.process == 0
        }
    }

    package func walk() -> any DeviceWalk {
        SysfsWalk(sysfs, onlyInitialized: backend == .udevdGroup)
    }

    package func close() {
        socket.close()
    }
}
