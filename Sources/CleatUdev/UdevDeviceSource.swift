#if Udev
    package import CleatIO
    package import CleatObservers
    internal import SystemPackage

    /// Device events through libudev, for boards with a udevd.
    package actor UdevDeviceSource: DeviceEventSource {
        /// The largest number of messages in one batch.
        private static let batch = 32

        package nonisolated let backend = DeviceBackend.libudev
        package private(set) var counters = DeviceSourceCounters()
        private let loop: EventLoop
        private let sysfs: Sysfs
        private let monitor: UdevMonitor
        private let readiness: Readiness

        package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

        /// Subscribes to udevd's events.
        ///
        /// - Parameters:
        ///   - loop: The loop on which the source runs.
        ///   - sysfs: The sysfs tree in which subsystems are looked up.
        ///   - receiveBuffer: The size of the kernel's receive buffer, in bytes.
        /// - Throws: ``ObserverError`` if libudev or the kernel refuses the monitor.
        package init(
            loop: EventLoop, sysfs: Sysfs, receiveBuffer: Int = NetlinkSocket.standardBuffer
        ) throws(ObserverError) {
            self.loop = loop
            self.sysfs = sysfs
            do throws(Errno) {
                monitor = try UdevMonitor(receiveBuffer: receiveBuffer)
                readiness = try loop.register(monitor.descriptor)
            } catch {
                throw ObserverError(
                    .open, subject: "libudev", underlying: error, remedy: "check that systemd-udevd is running")
            }
        }

        package func receive() async throws -> DeviceBatch {
            while true {
                let (batch, drained) = try takeBatch()
                if batch.overrun || !batch.messages.isEmpty { return batch }
                if drained { try await readiness.readable() } else { await loop.yield() }
                try Task.checkCancellation()
            }
        }

        private func takeBatch() throws -> (batch: DeviceBatch, drained: Bool) {
            var batch = DeviceBatch()
            for _ in 0..<Self.batch {
                switch try reception() {
                case .nothing: return (batch, true)
                // libudev does not report what it has dropped.
                case .skipped: continue
                case .malformed: counters.malformed += 1
                case .overrun:
                    counters.overruns += 1
                    batch.overrun = true
                case .message(let message):
                    counters.received += 1
                    batch.messages.append(message)
                }
            }
            return (batch, false)
        }

        private func reception() throws(ObserverError) -> UdevMonitor.Reception {
            do throws(Errno) {
                return try monitor.receive()
            } catch {
                throw ObserverError(
                    .receive, subject: "libudev", underlying: error, remedy: "the service must be started again")
            }
        }

        package func walk() -> any DeviceWalk {
            UdevWalk(source: self, subsystems: sysfs.lists().map(\.subsystem))
        }

        fileprivate func devices(of subsystem: String) async -> [DeviceRecord] {
            guard subsystem == Sysfs.powerSubsystem else { return monitor.devices(of: subsystem) }
            // libudev would have each driver ask its hardware.
            var walk = SysfsWalk(sysfs, subsystem: subsystem)
            return walk.next(.max) ?? []
        }

        package func close() {
            readiness.close()
        }
    }

    /// A walk through libudev's enumeration, one subsystem at a time.
    private struct UdevWalk: DeviceWalk {
        let source: UdevDeviceSource
        var subsystems: [String]

        mutating func next(_ limit: Int) async -> [DeviceRecord]? {
            var found: [DeviceRecord] = []
            guard !subsystems.isEmpty else { return nil }
            while found.count < limit, let subsystem = subsystems.popLast() {
                found += await source.devices(of: subsystem)
            }
            return found
        }
    }
#endif
