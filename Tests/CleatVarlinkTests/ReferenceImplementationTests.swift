import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatVarlink

/// Lets the `varlink` package from PyPI read the descriptions and drive the server.
@Suite struct ReferenceImplementationTests {
    /// `.ci/setup` puts the package into a directory of the build's own.
    private static let root = TestPlaces.package.string

    private static func command(_ arguments: [String], timeout: Duration) -> ChildCommand {
        var environment = ["PYTHONPATH": root + "/.build-python"]
        for name in ["PATH", "HOME"] { environment[name] = Environment.value(name) }
        return ChildCommand(
            program: .path("/usr/bin/env"), arguments: ["python3"] + arguments, environment: environment,
            outputLimit: 1 << 16, timeout: timeout)
    }

    /// True if the package can be imported; otherwise the reason is printed.
    static let isAvailable: Bool = {
        guard let loop = try? EventLoop() else { return false }
        let probe = command(["-c", "import varlink"], timeout: .seconds(20).onThisMachine)
        let result = try? loop.block { try await loop.run(probe) }
        if result?.isSuccess == true { return true }
        print("skipped: python3 has no varlink package (.ci/setup test, or pip install varlink)")
        return false
    }()

    @Test(.enabled(if: isAvailable, "python3 has no varlink package (.ci/setup test, or pip install varlink)"))
    func drivesOurServer() async throws {
        let script = Self.root + "/Tests/CleatVarlinkTests/varlink_peer.py"
        try await withServer { fixture in
            let result = try await fixture.loop.run(
                Self.command([script, fixture.path], timeout: .seconds(60).onThisMachine))
            #expect(result.isSuccess, "\(String(decoding: result.output, as: UTF8.self))")
            #expect(String(decoding: result.output, as: UTF8.self) == "ok\n")
        }
    }
}
