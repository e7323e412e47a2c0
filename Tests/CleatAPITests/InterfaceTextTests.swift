import CleatAPI
import CleatIO
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// The descriptions by name.
private let texts = APIInterfaces.all.map { (name: $0.name, text: $0.idl) }

@Suite struct InterfaceTextTests {
    @Test(arguments: texts) func parsesUnderItsName(_ interface: (name: String, text: String)) throws {
        #expect(try InterfaceDescription(interface.text).name == interface.name)
    }

    @Test(arguments: texts) func describesEveryMember(_ interface: (name: String, text: String)) throws {
        // Each method needs an explanation for readers who know only the wire.
        let lines = interface.text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where line.hasPrefix("method ") && line.contains("(") {
            let before = index > 0 ? lines[index - 1] : ""
            let isPlain = line.contains("method List()") || line.contains("method Status()")
            #expect(before.hasPrefix("#") || isPlain, "no comment above: \(line)")
        }
    }

    private static func python(_ script: String, input: String = "") async throws -> ChildResult {
        try await withLoop { loop in
            var environment = ["PATH": "/usr/local/bin:/usr/bin:/bin"]
            environment["PYTHONPATH"] = pythonPath
            return try await loop.run(
                ChildCommand(
                    program: .path("/usr/bin/env"), arguments: ["python3", "-c", script], environment: environment,
                    input: Array(input.utf8), outputLimit: 1 << 16, timeout: .seconds(60).onThisMachine))
        }
    }

    private static func hasPackage() async -> Bool {
        (try? await python("import varlink"))?.isSuccess == true
    }

    @Test(.enabled("the varlink package for Python is not installed") { await hasPackage() })
    func anotherImplementationReadsThem() async throws {
        let script = """
            import sys
            from varlink import Interface
            for text in sys.stdin.read().split("\\0"):
                print(Interface(text).name)
            """
        let result = try await Self.python(script, input: texts.map(\.text).joined(separator: "\0"))
        #expect(result.isSuccess, "\(result.outputText)")
        #expect(result.outputText == texts.map { $0.name + "\n" }.joined())
    }
}
