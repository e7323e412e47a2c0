#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What the machine that tests run on lets them do; a test that is skipped prints the reason.
package enum TestMachine {
    /// How many times longer than on a busy desk machine anything may take: `CLEAT_TEST_SLOWNESS`, 1 where it is not set.
    package static let slowness: Int = {
        guard let text = unsafe getenv("CLEAT_TEST_SLOWNESS"), let factor = Int(unsafe String(cString: text))
        else { return 1 }
        return min(max(factor, 1), 1000)
    }()

    /// The whole number in a variable of the environment; nil where there is none.
    package static func number(_ variable: String) -> Int? {
        unsafe getenv(variable).flatMap { Int(unsafe String(cString: $0)) }
    }

    /// How many times something is repeated, or tried with other random values: all times where that takes seconds, a few
    /// on a machine on which it would take minutes.
    package static func rounds(_ all: Int, onSlowOnes few: Int) -> Int { slowness > 1 ? few : all }

    /// The seeds of a test with random values: all of them, or a few as ``rounds(_:onSlowOnes:)`` says.
    package static func seeds(_ all: Int, onSlowOnes few: Int) -> ClosedRange<UInt64> {
        1...UInt64(rounds(all, onSlowOnes: few))
    }

    /// Whether every one of these programs is in the search path that tests give their children.
    package static func has(_ programs: String...) -> Bool {
        programs.allSatisfy { program in
            searchPath.contains { unsafe access("\($0)/\(program)", X_OK) == 0 }
        }
    }

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
