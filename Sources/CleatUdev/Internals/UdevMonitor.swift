#if Udev
    internal import CLinux
    internal import CUdev
    internal import CleatObservers
    internal import SystemPackage

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #endif

    /// Wraps libudev's monitor and enumeration.
    ///
    /// Not thread-safe: one actor must own it. libudev(3)
    @safe
    final class UdevMonitor {
        private let udev: OpaquePointer
        private let monitor: OpaquePointer

        /// Subscribes to udevd's events.
        init(receiveBuffer: Int) throws(Errno) {
            guard let udev = unsafe udev_new() else { throw Errno.noMemory }
            guard let monitor = unsafe udev_monitor_new_from_netlink(udev, "udev") else {
                let error = errno
                _ = unsafe udev_unref(udev)
                throw Errno(rawValue: error)
            }
            unsafe self.udev = unsafe udev
            unsafe self.monitor = unsafe monitor
            // libudev only uses SO_RCVBUFFORCE; without the privilege the system's default size stays.
            _ = unsafe udev_monitor_set_receive_buffer_size(monitor, Int32(clamping: receiveBuffer))
            let result = unsafe udev_monitor_enable_receiving(monitor)
            guard result >= 0 else { throw Errno(rawValue: -result) }
        }

        deinit {
            _ = unsafe udev_monitor_unref(monitor)
            _ = unsafe udev_unref(udev)
        }

        /// The monitor's socket; it belongs to the monitor.
        var descriptor: FileDescriptor { FileDescriptor(rawValue: unsafe udev_monitor_get_fd(monitor)) }

        /// The result of reading one message from the monitor.
        enum Reception {
            case nothing
            case skipped
            case overrun
            case message(DeviceMessage)
            case malformed
        }

        /// Takes one message, if there is one; libudev itself drops messages that do not come from root's udevd.
        func receive() throws(Errno) -> Reception {
            errno = 0
            guard let device = unsafe udev_monitor_receive_device(monitor) else {
                let error = errno
                // EINVAL is a message that did not fit.
                if error == ENOBUFS || error == EINVAL { return .overrun }
                // After a message that it drops, libudev reports EAGAIN even if more messages are queued.
                if error == 0 || error == EAGAIN || error == EINTR || error == EBADMSG {
                    return clinux_readable_now(descriptor.rawValue) == 1 ? .skipped : .nothing
                }
                throw Errno(rawValue: error)
            }
            defer { _ = unsafe udev_device_unref(device) }
            guard let action = unsafe Self.text(udev_device_get_action(device)),
                let devpath = unsafe Self.text(udev_device_get_devpath(device)),
                DeviceMessage.isDevpath(devpath.utf8)
            else { return .malformed }
            return .message(
                DeviceMessage(action: action, devpath: devpath, properties: unsafe Self.properties(device)))
        }

        /// Returns the devices of a subsystem that udevd has processed.
        func devices(of subsystem: String) -> [DeviceRecord] {
            guard let enumerate = unsafe udev_enumerate_new(udev) else { return [] }
            defer { _ = unsafe udev_enumerate_unref(enumerate) }
            guard unsafe udev_enumerate_add_match_subsystem(enumerate, subsystem) >= 0,
                unsafe udev_enumerate_add_match_is_initialized(enumerate) >= 0,
                unsafe udev_enumerate_scan_devices(enumerate) >= 0
            else { return [] }
            var found: [DeviceRecord] = []
            var entry = unsafe udev_enumerate_get_list_entry(enumerate)
            while let current = unsafe entry, found.count < DeviceTable.limit {
                unsafe entry = unsafe udev_list_entry_get_next(current)
                guard let device = unsafe udev_device_new_from_syspath(udev, udev_list_entry_get_name(current)) else {
                    continue
                }
                defer { _ = unsafe udev_device_unref(device) }
                guard let devpath = unsafe Self.text(udev_device_get_devpath(device)), devpath.hasPrefix("/devices/"),
                    DeviceMessage.isDevpath(devpath.utf8)
                else { continue }
                found.append(
                    DeviceRecord(
                        devpath: devpath, subsystem: subsystem,
                        devtype: unsafe Self.text(udev_device_get_devtype(device)),
                        node: unsafe Self.text(udev_device_get_devnode(device)),
                        driver: unsafe Self.text(udev_device_get_property_value(device, "DRIVER"))))
            }
            return found
        }

        private static func properties(_ device: OpaquePointer) -> PropertyBlock {
            var block: PropertyBlock = [:]
            var entry = unsafe udev_device_get_properties_list_entry(device)
            while let current = unsafe entry {
                if let key = unsafe text(udev_list_entry_get_name(current)),
                    let value = unsafe text(udev_list_entry_get_value(current))
                {
                    block.append(key, value)
                }
                unsafe entry = unsafe udev_list_entry_get_next(current)
            }
            return block
        }

        private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
            unsafe pointer.map { unsafe String(cString: $0) }
        }
    }
#endif
