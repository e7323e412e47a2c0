import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of the search for a process by its name.
@Suite struct ProcessNamesTests {
    @Test("A process is found by its name while it runs, and not in another network namespace")
    func search() async throws {
        let loop = try EventLoop()
        let name = "cleat-\(UInt32.random(in: 0 ... .max) % 1_000_000)"
        let directory = try TemporaryDirectory()
        try loop.block {
            #expect(!ProcessNames.contains(name))
            let sleep = try await loop.run(
                ChildCommand(
                    program: .path("/bin/sh"), arguments: ["-c", "cp /bin/sleep $D/\(name)"],
                    environment: ["D": directory.path.string, "PATH": "/usr/bin:/bin"]))
            #expect(sleep.isSuccess)
            let child = loop.task {
                try await loop.run(
                    ChildCommand(program: .path(directory.path.appending(name)), arguments: ["60"], environment: [:]))
            }
            defer { child.cancel() }
            for _ in 0..<600 {
                if ProcessNames.contains(name) { break }
                try await loop.sleep(for: .milliseconds(50))
            }
            #expect(ProcessNames.contains(name))
            // A longer name that begins with it is another one.
            #expect(!ProcessNames.contains(String(name.dropLast())))
            child.cancel()
            _ = try? await child.value
            #expect(!ProcessNames.contains(name))
        }
    }
}
