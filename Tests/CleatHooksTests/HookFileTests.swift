import CleatHooks
import CleatIO
import CleatTestSupport
import Testing

@Suite("Hook files")
struct HookFileTests {
    private func read(_ text: String) throws -> HookFile {
        try HookFile(Array(text.utf8), name: "10-test", file: "/etc/cleat/hooks.d/10-test.json5")
    }

    @Test("are read with all members")
    func everything() throws {
        let hook = try #require(
            try read(
                """
                // A comment
                {
                  comment: "tells the world",
                  match: { source: 'link', action: "up|down", subject: 'eth*', properties: { KIND: 'veth' } },
                  run: ['/bin/sh', '-c', 'true', ''],
                  timeout: "1m30s", debounce: 250, debounceLimit: '2s',
                  rate: { burst: 3, perSecond: 7, }, concurrency: 2,
                  writePaths: ['/run/app', '/var/log/app..log'], sandbox: 'best-effort',
                }
                """
            ).hook)
        #expect(hook.name == "10-test")
        #expect(hook.comment == "tells the world")
        #expect(hook.command == ["/bin/sh", "-c", "true", ""])
        #expect(hook.program == "/bin/sh")
        #expect(hook.timeout == 90_000)
        #expect(
            hook.pace == HookPace(debounce: 250, debounceLimit: 2000, burst: 3, perSecond: 7, concurrency: 2))
        #expect(hook.sandbox == HookSandbox(writePaths: ["/run/app", "/var/log/app..log"], isRequired: false))
    }

    @Test("have the paths that the hook may write, which the kernel must enforce by default")
    func sandbox() throws {
        func sandbox(_ members: String) throws -> HookSandbox? {
            try read("{ match: { source: '*' }, run: ['/bin/true'], \(members) }").hook?.sandbox
        }
        #expect(try sandbox("") == nil)
        #expect(try sandbox("writePaths: []") == HookSandbox(writePaths: []))
        #expect(try sandbox("writePaths: ['/'], sandbox: 'required'") == HookSandbox(writePaths: ["/"]))
        let longest = "/" + String(repeating: "a", count: HookLimits.writePathBytes - 1)
        #expect(try sandbox("writePaths: ['\(longest)']")?.writePaths == [longest])
        let file = try read("{ match: { source: '*' }, run: ['/bin/true'],\n  writePaths: ['/run/app'] }")
        #expect(file.sandboxPlace?.line == 2 && file.sandboxPlace?.column == 15)
    }

    @Test("have the user, limits, directory and environment of the process")
    func process() throws {
        func process(_ members: String) throws -> HookProcess? {
            try read("{ match: { source: '*' }, run: ['/bin/true'], \(members) }").hook?.process
        }
        #expect(try process("") == HookProcess())
        let properties = [try HookPattern("ID_*"), try HookPattern("DEVNAME")]
        #expect(
            try process(
                "user: 'root', directory: '/usr', environment: ['ID_*', 'DEVNAME'], limits: { cpu: '1500ms', memory: '64MiB', "
                    + "fileSize: 1024, files: 16, processes: 8 }")
                == HookProcess(
                    user: "root",
                    limits: [
                        ResourceLimit(.processorTime, 2), ResourceLimit(.addressSpace, 64 << 20),
                        ResourceLimit(.fileSize, 1024), ResourceLimit(.openFiles, 16), ResourceLimit(.processes, 8),
                    ], directory: "/usr", properties: properties))
    }

    @Test("have defaults")
    func defaults() throws {
        let hook = try #require(try read("{ match: { source: '*' }, run: ['/bin/true'] }").hook)
        #expect(hook.timeout == 30_000)
        #expect(hook.pace == HookPace())
        #expect(hook.pace.debounce == 0 && hook.pace.concurrency == nil)
    }

    @Test("disable a hook", arguments: ["{ enabled: false }", "{ enabled: false, run: ['/bin/true'], timeout: 5 }"])
    func disabled(text: String) throws {
        #expect(try read(text).hook == nil)
    }

    @Test(
        "take durations in milliseconds and as text",
        arguments: [("1", 1), ("'1ms'", 1), ("'30s'", 30_000), ("'1h'", 3_600_000), ("3600000", 3_600_000), ("5.0", 5)])
    func durations(text: String, expected: Int64) throws {
        #expect(try read("{ match: { source: '*' }, run: ['/bin/true'], timeout: \(text) }").hook?.timeout == expected)
    }

    @Test("name the program's path")
    func place() throws {
        let file = try read("{ match: { source: '*' },\n  run: [\n    '/bin/true' ] }")
        #expect(file.programPlace.line == 3 && file.programPlace.column == 5)
    }

    /// A text, the line and column of its error, and words of the message.
    static let broken: [(String, Int, Int, String)] = [
        ("", 1, 1, ""),
        ("{", 1, 2, ""),
        ("{\n  match: { source: 'link' },\n  run: ['/bin/true']\n  timeout: 3\n}", 4, 3, ""),
        ("{ match: { source: 'link', source: 'link' }, run: ['/bin/true'] }", 1, 28, "source"),
        ("[]", 1, 1, "the file has to be an object"),
        ("null", 1, 1, "not null"),
        ("{ run: ['/bin/true'] }", 1, 1, "match is missing"),
        ("{ match: { source: '*' } }", 1, 1, "run is missing"),
        ("{ match: {}, run: ['/bin/true'] }", 1, 10, "no condition"),
        ("{ match: { properties: {} }, run: ['/bin/true'] }", 1, 10, "no condition"),
        ("{ match: 'link', run: ['/bin/true'] }", 1, 10, "match has to be an object"),
        ("{\n  Match: {}, run: [] }", 2, 3, "unknown member Match; did you mean match?"),
        ("{ timout: 3 }", 1, 3, "unknown member timout; did you mean timeout?"),
        ("{ shell: 'sh' }", 1, 3, "the members here are match, run"),
        ("{ user: 'no-such-user' }", 1, 9, "/etc/passwd has no user no-such-user"),
        ("{ user: 0 }", 1, 9, "user has to be a string"),
        ("{ directory: 'tmp' }", 1, 14, "tmp is not absolute"),
        ("{ environment: 'ID_*' }", 1, 16, "environment has to be an array"),
        ("{ environment: ['['] }", 1, 17, "["),
        ("{ limits: { core: 0 } }", 1, 13, "the members here are cpu, fileSize, files, memory, processes"),
        ("{ limits: { cpu: 1 } }", 1, 18, "cpu has to be from 1000 ms"),
        ("{ limits: { memory: '64M' } }", 1, 21, "memory is not a size"),
        ("{ limits: { memory: 0 } }", 1, 21, "memory is not a size"),
        ("{ limits: { files: 0 } }", 1, 20, "from 1 to 1048576"),
        ("{ match: { subjekt: '*' } }", 1, 12, "unknown member subjekt in match; did you mean subject?"),
        ("{ match: { source: 'udev' } }", 1, 20, "no source is called udev; the sources are device, link"),
        ("{ match: { source: 'app' } }", 1, 10, "has to name the emitter"),
        ("{ match: { source: 'link|app', action: 'up' } }", 1, 10, "has to name the emitter"),
        ("{ match: { source: 'app', properties: { EMITTER_UID: '*' } } }", 1, 10, "has to name the emitter"),
        ("{ match: { source: 'app', properties: { EMITTER: 'a|b[cd]' } } }", 1, 10, "has to name the emitter"),
        ("{ match: { source: 3 } }", 1, 20, "source has to be a string in quotes, not a number"),
        ("{ match: { action: '[' } }", 1, 20, "["),
        ("{ match: { properties: [] } }", 1, 24, "properties has to be an object"),
        ("{ match: { properties: { ID: 7 } } }", 1, 30, "ID has to be a string"),
        ("{ match: { source: '*' }, run: '/bin/true' }", 1, 32, "run has to be an array"),
        ("{ match: { source: '*' }, run: [] }", 1, 32, "run is empty"),
        ("{ match: { source: '*' }, run: ['/bin/true', 3] }", 1, 46, "an element of run has to be a string"),
        ("{ match: { source: '*' }, run: ['true'] }", 1, 33, "true is not an absolute path"),
        ("{ match: { source: '*' }, run: [''] }", 1, 33, "not an absolute path"),
        ("{ match: { source: '*' }, run: ['/bin/true', 'a\\u0000b'] }", 1, 46, "NUL"),
        ("{ timeout: 0 }", 1, 12, "from 1 ms to 1h"),
        ("{ timeout: -5 }", 1, 12, "from 1 ms to 1h"),
        ("{ timeout: 3600001 }", 1, 12, "from 1 ms to 1h"),
        ("{ timeout: 1.5 }", 1, 12, "a duration"),
        ("{ timeout: 'soon' }", 1, 12, "timeout is not a duration"),
        ("{ timeout: true }", 1, 12, "not a boolean"),
        ("{ timeout: 99999999999999999999 }", 1, 12, ""),
        ("{ match: { source: '*' }, run: ['/bin/true'], debounce: '2s', debounceLimit: 100 }", 1, 78, "shorter"),
        ("{ match: { source: '*' }, run: ['/bin/true'], rate: { burst: 0 } }", 1, 62, "from 1 to 10000"),
        ("{ match: { source: '*' }, run: ['/bin/true'], rate: 5 }", 1, 53, "rate has to be an object"),
        ("{ match: { source: '*' }, run: ['/bin/true'], concurrency: 65 }", 1, 60, "from 1 to 64"),
        ("{ enabled: 'no' }", 1, 12, "true or false"),
        ("{ writePaths: '/run' }", 1, 15, "writePaths has to be an array"),
        ("{ writePaths: [7] }", 1, 16, "an element of writePaths has to be a string"),
        ("{ writePaths: ['run/app'] }", 1, 16, "run/app is not absolute"),
        ("{ writePaths: [''] }", 1, 16, "is not absolute"),
        ("{ writePaths: ['/run', '/run/../etc'] }", 1, 24, "holds \"..\""),
        ("{ writePaths: ['/..'] }", 1, 16, "holds \"..\""),
        ("{ writePaths: ['/run\\u0000/x'] }", 1, 16, "control character"),
        ("{ writePaths: ['/run\\n'] }", 1, 16, "control character"),
        ("{ writePaths: ['/run'], sandbox: 'none' }", 1, 34, "\"required\" or \"best-effort\""),
        ("{ writePaths: ['/run'], sandbox: true }", 1, 34, "sandbox has to be a string"),
        ("{ sandbox: 'required' }", 1, 12, "without writePaths"),
        ("{ writePath: ['/run'] }", 1, 3, "did you mean writePaths?"),
    ]

    @Test("are refused with line, column and reason", arguments: broken)
    func refuses(text: String, line: Int, column: Int, words: String) throws {
        let error = try #require(throws: HookFileError.self) { try read(text) }
        #expect(error.line == line && error.column == column, "\(error)")
        #expect(words.isEmpty || error.message.contains(words), "\(error)")
    }

    @Test("have limits")
    func limits() throws {
        let arguments = Array(repeating: "'/a'", count: 65).joined(separator: ",")
        let properties = (0..<33).map { "P\($0): '*'" }.joined(separator: ",")
        let tooMuch = [
            "{ match: { source: '*' }, run: [\(arguments)] }",
            "{ match: { properties: { \(properties) } }, run: ['/bin/true'] }",
            "{ match: { source: '*' }, run: ['/\(String(repeating: "a", count: 4096))'] }",
            "{ match: { subject: '\(String(repeating: "a", count: 1025))' }, run: ['/bin/true'] }",
            "{ writePaths: [\(arguments)] }",
            "{ writePaths: ['/\(String(repeating: "a", count: HookLimits.writePathBytes))'] }",
            "{ match: { source: '*' }, run: ['/bin/true'] }" + String(repeating: " ", count: 64 * 1024),
        ]
        for text in tooMuch {
            let error = #expect(throws: HookFileError.self) { try read(text) }
            #expect(error?.message.contains("more than") == true)
        }
    }

    @Test("are read or refused, whatever is in them", arguments: [11, 12, 13, 14] as [UInt64])
    func mutations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let text = """
            { match: { source: 'link', subject: '[a-z]*|\\\\*', properties: { A: '1' } }, run: ['/bin/true', 'x'],
              timeout: '1m30s', debounce: 5, rate: { burst: 3, perSecond: 7 }, concurrency: 2, enabled: true }
            """
        for _ in 0..<2000 {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(bytes.randomElement(using: &random) ?? 0, at: index)
                default: bytes.removeLast(bytes.count - index)
                }
            }
            do throws(HookFileError) {
                let hook = try HookFile(bytes, name: "a", file: "a.json5").hook
                _ = hook?.filter.matches(.make("eth0"))
            } catch {
                #expect(error.line >= 1 && error.column >= 1 && !error.message.isEmpty)
            }
        }
    }
}
