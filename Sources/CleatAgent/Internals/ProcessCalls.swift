import CLinux
import CleatIO
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the service asks of its own process.
enum ProcessCalls {
    /// Ends the process at once; what is to be flushed was flushed. _exit(2)
    static func exit(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }

    /// Has the C library give memory back as soon as it can.
    ///
    /// glibc moves its thresholds when a large block is freed: once a megabyte was read at start, two megabytes of free
    /// memory would stay with the process for good.
    static func keepMemorySmall() {
        clinux_memory_keep_small()
    }

    /// Has no core file written of this process, which could hold secret settings. setrlimit(2), prctl(2)
    static func forbidCoreFiles() throws(Errno) {
        let result = clinux_memory_forbid_core()
        guard result == 0 else { throw Errno(rawValue: 0 &- result) }
    }

    /// Puts `/dev/null` where standard input, output or error is closed, and ignores SIGPIPE.
    ///
    /// The next file that is opened would take the closed one's number, and a message be written into it. A reader that
    /// has gone becomes an error like others.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is taken, and those below are in use by now.
            if unsafe open("/dev/null", O_RDWR) < 0 { return }
        }
    }

    /// Has the signals that a fault raises write a line to a descriptor before they kill the process. sigaction(2)
    static func reportFatalSignals(to descriptor: Int32, prefix: String, endsLine: Bool) throws(Errno) {
        let result = unsafe clinux_fatal_report(descriptor, prefix, endsLine)
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// The directory that relative paths are relative to; the root where it is gone. getcwd(3)
    static var workingDirectory: FilePath {
        guard let text = unsafe getcwd(nil, 0) else { return "/" }
        defer { unsafe free(text) }
        return unsafe FilePath(String(cString: text))
    }

    /// Connects to a Unix socket, waiting where its queue is full. unix(7), connect(2)
    static func connect(to path: String) throws(Errno) -> FileDescriptor {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .fileNameTooLong }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            let stream = SOCK_STREAM | SOCK_CLOEXEC
        #endif
        let descriptor = socket(AF_UNIX, stream, 0)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                #if canImport(Glibc)
                    unsafe Glibc.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
                #else
                    unsafe Musl.connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
                #endif
            }
        }
        guard result == 0 else {
            let error = Errno(rawValue: errno)
            _ = close(descriptor)
            throw error
        }
        return FileDescriptor(rawValue: descriptor)
    }
}
