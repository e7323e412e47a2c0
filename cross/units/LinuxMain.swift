// The start of the tests in a static build, which has no XCTest: SwiftPM takes it in place of a runner of its own, but
// only from `Tests/LinuxMain.swift`, where a native build would take it as well. So `cross/build-tests` puts it into a
// copy of the tree.

import Musl
import Testing

@main struct Runner {
    static func main() async {
        closeWhatWasNotGiven()
        await Testing.__swiftPMEntryPoint() as Never
    }

    /// Closes the pipes that the process of an exit test has by accident.
    ///
    /// musl has no posix_spawn_file_actions_addclosefrom_np, so that the process inherits both ends of each pipe to its
    /// parent, and waits for ever for the end of one that it holds open itself.
    static func closeWhatWasNotGiven() {
        guard getenv("SWT_EXIT_TEST_ID") != nil else { return }
        let names: [String] = ["SWT_BACKCHANNEL", "SWT_EXPERIMENTAL_CAPTURED_VALUES"]
        let given = names.compactMap { name in getenv(name).flatMap { Int32(String(cString: $0)) } }
        for number: Int32 in 3..<1024 where !given.contains(number) {
            var status = stat()
            if fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFIFO { close(number) }
        }
    }
}
