#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The abilities of the machine that tests run on; a test that is skipped prints the reason.
package enum TestMachine {
    /// The factor for time limits, relative to a busy desktop machine: `CLEAT_TEST_SLOWNESS`, 1 if it is not set.
    package static let slowness: Int = {
        guard let text = unsafe getenv("CLEAT_TEST_SLOWNESS"), let factor = Int(unsafe String(cString: text))
        else { return 1 }
        return min(max(factor, 1), 1000)
    }()

    /// The whole number in a variable of the environment; nil where there is none.
    package static func number(_ variable: String) -> Int? {
        unsafe getenv(variable).flatMap { Int(unsafe String(cString: $0)) }
    }

    /// True if tests run in full: every seed, every place of a fault, long kill loops (`CLEAT_TEST_LONG=1`, as `make
    /// matrix` sets it); otherwise they run some of each.
    package static let isLong = number("CLEAT_TEST_LONG") == 1 && slowness == 1

    /// The number of repetitions, or of other random values: all of them in a long run, and a few otherwise.
    package static func rounds(_ all: Int, briefly few: Int) -> Int { isLong ? all : few }

    /// The seeds of a test with random values: all of them, or a few as ``rounds(_:briefly:)`` says.
    package static func seeds(_ all: Int, briefly few: Int) -> ClosedRange<UInt64> {
        1...UInt64(rounds(all, briefly: few))
    }

    /// Returns true if all of these programs are in the search path that tests give their children.
    package static func has(_ programs: String...) -> Bool {
        programs.allSatisfy { program in
            searchPath.contains { unsafe access("\($0)/\(program)", X_OK) == 0 }
        }
    }

    /// Returns true if a program is at a path.
    package static func isThere(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    private static let searchPath = [
        "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
    ]
}

extension Duration {
    /// A time limit as this machine needs it: longer where ``TestMachine/slowness`` says so.
    ///
    /// It is for limits that a healthy test never reaches, not for durations that a test is about.
    package var onThisMachine: Duration { self * TestMachine.slowness }
}
