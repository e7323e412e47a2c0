internal import CleatIO
internal import Synchronization
internal import SystemPackage

#if CLEAT_CRASH_POINTS
    /// The places at which a test can have the service die in the middle of a change, as by a power cut or SIGKILL.
    ///
    /// They are compiled into debug builds only. `CLEAT_CRASH_POINT=NAME` has the service kill itself when it comes to the
    /// place of that name for the first time, and `NAME+5` five places later. The last line on standard error is its name.
    package enum CrashPoints {
        private static let chosen: (name: String, more: Int)? = {
            guard let text = Environment.value("CLEAT_CRASH_POINT") else { return nil }
            let parts = text.utf8.split(separator: UInt8(ascii: "+"), maxSplits: 1)
            guard let name = parts.first else { return nil }
            return (String(Substring(name)), parts.count > 1 ? Int(Substring(parts[1])) ?? 0 : 0)
        }()
        /// How many places are to come yet; nil before the chosen one.
        private static let left = Mutex<Int?>(nil)

        /// Comes to a place.
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
    /// Places at which the debug build can die in the middle of a change; here there are none.
    package enum CrashPoints {
        /// Does nothing.
        @inlinable @inline(__always)
        package static func pass(_ name: @autoclosure () -> String) {}
    }
#endif
