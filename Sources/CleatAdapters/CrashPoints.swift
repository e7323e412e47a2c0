internal import CleatIO
internal import Synchronization
internal import SystemPackage

#if CLEAT_CRASH_POINTS
    /// The points at which a test can kill the service in the middle of a change, as by a power cut or SIGKILL.
    ///
    /// They are compiled into debug builds only. With `CLEAT_CRASH_POINT=NAME` the service kills itself when it first
    /// reaches the point of that name, and with `NAME+5` five points later. The last line on standard error is the
    /// point's name.
    package enum CrashPoints {
        private static let chosen: (name: String, more: Int)? = {
            guard let text = Environment.value("CLEAT_CRASH_POINT") else { return nil }
            let parts = text.utf8.split(separator: UInt8(ascii: "+"), maxSplits: 1)
            guard let name = parts.first else { return nil }
            return (String(Substring(name)), parts.count > 1 ? Int(Substring(parts[1])) ?? 0 : 0)
        }()
        /// The number of points before the crash; nil until the chosen one is reached.
        private static let left = Mutex<Int?>(nil)

        /// Passes a point.
        package static func pass(_ name: @autoclosure () -> String) {
            guard let chosen else { return }
            let name = name()
            let isLast = left.withLock { left in
                if left == nil, name == chosen.name { left = chosen.more }
                guard let count = left else { return false }
                left = count - 1
                return count == 0
            }
            guard isLast else { return }
            _ = try? FileDescriptor.standardError.writeAll("crash point \(name)\n".utf8)
            Signal.kill.send(to: ProcessSelf.pid)
        }
    }
#else
    /// The crash points of a release build: there are none.
    package enum CrashPoints {
        /// Does nothing.
        @inlinable @inline(__always)
        package static func pass(_ name: @autoclosure () -> String) {}
    }
#endif
