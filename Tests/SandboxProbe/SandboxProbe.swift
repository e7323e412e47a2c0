import CTestKernel
import SystemPackage

/// Exchanges names in a directory as fast as it can, until a file `stop` is there; prints how often it did.
///
/// usage: sandbox-probe swap DIRECTORY ONE OTHER [ONE OTHER …]
@main struct SandboxProbe {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, arguments.count.isMultiple(of: 2) == false, arguments[1] == "swap" else {
            throw Errno.invalidArgument
        }
        let names = arguments[3...].map { arguments[2] + "/" + $0 }
        let stop = FilePath(arguments[2]).appending("stop")
        var count = 0
        while true {
            for pair in stride(from: 0, to: names.count, by: 2) {
                let result = unsafe ctest_exchange(names[pair], names[pair + 1])
                guard result == 0 else { throw Errno(rawValue: 0 &- result) }
                count += 1
            }
            if count % 64 < names.count, let file = try? FileDescriptor.open(stop, .readOnly) {
                try file.close()
                print(count)
                return
            }
        }
    }
}
