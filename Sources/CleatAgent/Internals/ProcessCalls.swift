import CLinux
import CleatIO
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// System calls that are about the service's own process.
enum ProcessCalls {
    /// Ends the process at once, after flushing the streams of stdio. _exit(2)
    static func exit(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }

    /// Configures the C library to return free memory as soon as possible.
    ///
    /// glibc raises its thresholds when a large block is freed: once a megabyte was read at startup, two megabytes of
    /// free memory would stay with the process for good.
    static func keepMemorySmall() {
        clinux_memory_keep_small()
    }

    /// Disables core files of this process, which could contain secret settings. setrlimit(2), prctl(2)
    static func forbidCoreFiles() throws(Errno) {
        let result = clinux_memory_forbid_core()
        guard result == 0 else { throw Errno(rawValue: 0 &- result) }
    }

    /// Opens `/dev/null` in place of a closed standard input, output or error, and ignores SIGPIPE.
    ///
    /// The next file that is opened would get the number of the closed one, and messages would be written into it.
    /// Without SIGPIPE a disconnected reader is an ordinary error.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is used, and those below are in use by now.
            if unsafe open("/dev/null", O_RDWR) < 0 { return }
        }
    }

    /// Installs handlers for the signals of faults that write a line to a descriptor before they kill the process.
    /// sigaction(2)
    static func reportFatalSignals(to descriptor: Int32, prefix: String, endsLine: Bool) throws(Errno) {
        let result = unsafe clinux_fatal_report(descriptor, prefix, endsLine)
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// The directory that relative paths are relative to; the root if it was removed. getcwd(3)
    static var workingDirectory: FilePath {
        guard let text = unsafe getcwd(nil, 0) else { return "/" }
        defer { unsafe free(text) }
        return unsafe FilePath(String(cString: text))
    }

    /// Connects to a Unix socket, and blocks while its queue is full. unix(7), connect(2)
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
