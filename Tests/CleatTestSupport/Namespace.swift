package import CleatIO
internal import SystemPackage

/// Runs shell scripts in network, mount and host name namespaces of their own, so that a test cannot touch the machine.
package enum Namespace {
    /// True if this process may make namespaces; a test that is skipped for it prints the reason.
    package static let isAvailable: Bool = {
        guard let loop = try? EventLoop() else { return false }
        let result = try? loop.block { try await run("true", on: loop) }
        return result?.isSuccess == true
    }()

    /// Why tests that need namespaces are skipped.
    package static let reason = "needs root and unshare(1), to make namespaces of its own"

    /// Runs a script by `sh -e` in new namespaces, with its own `/sys` of the new network.
    ///
    /// Everything that it started is dead when this returns.
    package static func run(
        _ script: String, environment: [String: String] = [:], timeout: Duration = .seconds(30).onThisMachine,
        outputLimit: Int = 1 << 20, on loop: EventLoop
    ) async throws(SpawnError) -> ChildResult {
        var variables = ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"]
        variables.merge(environment) { _, new in new }
        return try await loop.run(
            ChildCommand(
                program: .path("/usr/bin/env"),
                arguments: [
                    "unshare", "--net", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", "sh",
                    "-e", "-c",
                    "mount -t sysfs none /sys\n" + script,
                ],
                environment: variables, outputLimit: outputLimit, timeout: timeout))
    }
}
