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
    /// SIGQUIT: terminate with a memory dump, from the keyboard.
    package static var quit: Signal { Signal(rawValue: SIGQUIT) }
    /// SIGCHLD: a child has ended.
    package static var child: Signal { Signal(rawValue: SIGCHLD) }
    /// SIGPIPE: a pipe has no reader.
    package static var brokenPipe: Signal { Signal(rawValue: SIGPIPE) }
    /// SIGCONT: continue if stopped.
    package static var resume: Signal { Signal(rawValue: SIGCONT) }

    /// True if this process ignores the signal.
    package var isIgnored: Bool { clinux_signal_is_ignored(rawValue) == 1 }

    /// Ends this process by the signal with its default action, even if the signal was blocked; returns if that action
    /// does not end a process.
    package func endProcess() {
        #if canImport(Glibc)
            _ = Glibc.signal(rawValue, SIG_DFL)
            _ = Glibc.raise(rawValue)
        #elseif canImport(Musl)
            _ = Musl.signal(rawValue, SIG_DFL)
            _ = Musl.raise(rawValue)
        #endif
        SignalMask.unblock([self])
    }

    /// Runs a body while this process ignores signals, and restores their actions after it. `sigaction(2)`
    package static func ignoring<Result, Failure: Error>(
        _ signals: [Signal], _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var before = signals.map { _ in sigaction() }
        for (index, one) in signals.enumerated() {
            unsafe sigaction(one.rawValue, nil, &before[index])
            _ = signal(one.rawValue, SIG_IGN)
        }
        defer { for (index, one) in signals.enumerated() { unsafe sigaction(one.rawValue, &before[index], nil) } }
        return try body()
    }

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

    /// Unblocks signals in the calling thread.
    package static func unblock(_ signals: [Signal]) {
        let numbers = signals.map(\.rawValue)
        _ = unsafe numbers.withUnsafeBufferPointer { unsafe clinux_signals_unblock($0.baseAddress, Int32($0.count)) }
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
    static func readSignal(_ fd: Int32) throws(Errno) -> Signal? { try readArrival(fd)?.signal }

    /// Reads one signal with its origin; returns nil if none is pending.
    static func readArrival(_ fd: Int32) throws(Errno) -> (signal: Signal, isTyped: Bool)? {
        var info = clinux_signal()
        guard try check(unsafe clinux_signalfd_read(fd, &info)) == 1 else { return nil }
        return (signal: Signal(rawValue: info.number), isTyped: info.from_kernel == 1)
    }
}
