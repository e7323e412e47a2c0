package import CleatObservers

/// The access to libudev, for the programs that link it.
package enum Libudev {
    /// Opens a source of device events; nil if this build does not include libudev (the trait Udev).
    package static var opener: DeviceSourceOpener? {
        #if Udev
            { try UdevDeviceSource(loop: $0, sysfs: $1, receiveBuffer: $2) }
        #else
            nil
        #endif
    }
}
