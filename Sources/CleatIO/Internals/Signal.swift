internal import CLinux
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A signal.
package struct Signal: RawRepresentable, Sendable, Hashable {
    /// The signal's number.
    package let rawValue: Int32

    /// Makes a signal from its number.
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// SIGHUP: reload the configuration.
    package static var hangUp: Signal { Signal(rawValue: SIGHUP) }
    /// SIGINT: terminate, from the keyboard.
    package static var interrupt: Signal { Signal(rawValue: SIGINT) }
    /// SIGTERM: terminate.
    package static var terminate: Signal { Signal(rawValue: SIGTERM) }
    /// SIGKILL: kill, cannot be caught.
    package static var kill: Signal { Signal(rawValue: SIGKILL) }
    /// SIGUSR1.
    package static var user1: Signal { Signal(rawValue: SIGUSR1) }
    /// SIGUSR2.
    package static var user2: Signal { Signal(rawValue: SIGUSR2) }

    /// Sends the signal to a process. `kill(2)`
    package func send(to pid: Int32) {
        #if canImport(Glibc)
            _ = Glibc.kill(pid, rawValue)
        #elseif canImport(Musl)
            _ = Musl.kill(pid, rawValue)
        #endif
    }
}

/// Blocks the default handling of signals, so that the loop can read them.
package enum SignalMask {
    /// Blocks signals in the calling thread and in the threads that it starts; call it first in `main`.
    package static func block(_ signals: [Signal]) {
        let numbers = signals.map(\.rawValue)
        _ = unsafe numbers.withUnsafeBufferPointer { unsafe clinux_signals_block($0.baseAddress, Int32($0.count)) }
    }
}

extension Kernel {
    /// Ignores SIGPIPE, so that writing to a pipe without a reader is an error, and makes ended children wait to be
    /// reaped, whatever the process inherited.
    static func prepareSignals() { clinux_signals_prepare() }

    static func signalDescriptor(_ signals: [Signal]) throws(Errno) -> Int32 {
        let numbers = signals.map(\.rawValue)
        return try check(
            unsafe numbers.withUnsafeBufferPointer { unsafe clinux_signalfd($0.baseAddress, Int32(clamping: $0.count)) }
        )
    }

    /// Reads one signal; returns nil if none is pending.
    static func readSignal(_ fd: Int32) throws(Errno) -> Signal? {
        var info = clinux_signal()
        guard try check(unsafe clinux_signalfd_read(fd, &info)) == 1 else { return nil }
        return Signal(rawValue: info.number)
    }
}
