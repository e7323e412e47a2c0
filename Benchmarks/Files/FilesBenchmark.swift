import CleatSandbox
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Measures the file facade against the plain system calls, in one alternating run.
///
/// usage: BenchFiles DIRECTORY [opens|throughput] [ROUNDS]
@main enum FilesBenchmark {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else {
            print("usage: BenchFiles DIRECTORY [opens|throughput] [ROUNDS]")
            exit(64)
        }
        let directory = FilePath(arguments[1])
        let part = arguments.count > 2 ? arguments[2] : "opens"
        let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 10 : 10
        switch part {
        case "opens": try opens(directory, rounds)
        default: try throughput(directory, rounds)
        }
    }

    static func nanoseconds() -> Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    static func line(_ name: String, _ samples: [Double], _ unit: String) {
        let sorted = samples.sorted()
        let median = sorted[sorted.count / 2]
        let rounded = [median, sorted[0], sorted[sorted.count - 1]].map { "\(Double(Int($0 * 1000)) / 1000)" }
        print("\(name): \(rounded[0]) \(unit) (\(rounded[1]) to \(rounded[2]))")
    }

    // MARK: Opens

    static func opens(_ directory: FilePath, _ rounds: Int) throws {
        let area = try AreaRoot.open(directory, area: .documents)
        let walking = try AreaRoot.open(directory, area: .documents, resolver: WalkingResolver())
        let roots = [("facade", area), ("facade, walks", walking)]
        for depth in [1, 3, 6] {
            let names = (1..<depth).map { "d\($0)" }
            let files = SandboxedDirectory(area)
            if depth > 1 { try files.makeDirectory(SandboxPath(names.joined(separator: "/")), withParents: true) }
            let text = (names + ["file"]).joined(separator: "/")
            let path = try SandboxPath(text)
            try files.write([1, 2, 3], to: path)
            let full = directory.appending(text).string
            var samples: [String: [Double]] = [:]
            for _ in 0..<rounds {
                samples["open(2)", default: []].append(
                    measure { unsafe close(openFile(full, O_RDONLY | O_CLOEXEC)) })
                samples["open(2) + fstat", default: []].append(
                    measure {
                        let file = unsafe openFile(full, O_RDONLY | O_CLOEXEC)
                        var status = stat()
                        unsafe fstat(file, &status)
                        close(file)
                    })
                samples["realpath + open", default: []].append(
                    measure {
                        guard let real = unsafe realpath(full, nil) else { return }
                        unsafe close(openFile(real, O_RDONLY | O_CLOEXEC))
                        unsafe free(real)
                    })
                for (name, root) in roots {
                    let files = SandboxedDirectory(root)
                    samples[name, default: []].append(try measure { _ = try files.reader(path) })
                }
            }
            print("depth \(depth)")
            for name in ["open(2)", "open(2) + fstat", "realpath + open"] + roots.map(\.0) {
                line("  " + name, samples[name] ?? [0], "µs")
            }
        }
    }

    static func measure(_ body: () throws -> Void) rethrows -> Double {
        let count = 5_000
        let start = nanoseconds()
        for _ in 0..<count { try body() }
        return Double(nanoseconds() - start) / Double(count) / 1000
    }

    // MARK: Throughput

    static func throughput(_ directory: FilePath, _ rounds: Int) throws {
        let size = 100_000_000
        let area = try AreaRoot.open(directory, area: .documents)
        let files = SandboxedDirectory(area)
        let path = try SandboxPath("large")
        let part = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let (from, to) = (directory.appending("large").string, directory.appending("plain").string)
        var samples: [String: [Double]] = [:]
        func sample(_ name: String, _ body: () throws -> Void) rethrows {
            let start = nanoseconds()
            try body()
            samples[name, default: []].append(Double(size) / Double(nanoseconds() - start) * 1000)
        }
        func command(_ text: String) {
            if unsafe system(text) != 0 { print("failed: \(text)") }
        }
        for _ in 0..<rounds {
            try sample("facade write, durable") {
                let writer = try files.writer(path)
                var left = size
                while left > 0 {
                    try unsafe part.withUnsafeBytes { bytes in
                        try unsafe writer.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(left)))
                    }
                    left -= part.count
                }
                try writer.commit()
            }
            sample("dd conv=fdatasync") {
                command("dd if='\(from)' of='\(to)' bs=1M conv=fdatasync status=none")
            }
            try sample("facade copy, durable") {
                try files.copy(path, to: files, as: SandboxPath("copy"), replacing: true)
            }
            sample("cp, sync of the file") { command("cp '\(from)' '\(to)' && sync '\(to)'") }
            try sample("facade read") {
                let reader = try files.reader(path)
                var offset: Int64 = 0
                while true {
                    let count = try reader.read(at: offset, upTo: 1 << 20).count
                    if count == 0 { break }
                    offset += Int64(count)
                }
            }
            sample("dd to /dev/null") { command("dd if='\(from)' of=/dev/null bs=1M status=none") }
        }
        for name in samples.keys.sorted() { line(name, samples[name] ?? [], "MB/s") }
    }
}

/// Calls `open(2)`, whatever else is called so here.
func openFile(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { unsafe open(path, flags) }
