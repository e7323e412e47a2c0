import CleatSandbox
import Synchronization
import SystemPackage

/// Makes the facade's calls for real, but asks before each what shall become of it.
final class FaultyFileCalls: Sendable {
    private struct State {
        var fate: @Sendable (FileCall, Int) -> CallFate = { _, _ in .works }
        var count = 0
        var made: [FileCall] = []
        var isDead = false
        var slice = Int.max
        var flushes = true
        var sharesBlocks = false
        var failed = 0
    }

    let real = SystemFileCalls()
    private let state = Mutex(State())

    init() {}

    /// From the next call on, decides by the call's name and its number, from 0.
    func decide(_ fate: @escaping @Sendable (FileCall, Int) -> CallFate) {
        state.withLock {
            $0.fate = fate
            $0.count = 0
            $0.made = []
            $0.failed = 0
        }
    }

    /// From the next call on, has calls fail as a fault says.
    func set(_ fault: CallFault) { decide { fault.fate(of: $0, $1) } }

    func work() { decide { _, _ in .works } }

    /// The process is gone: nothing works any more, nothing is taken away.
    func die() { state.withLock { $0.isDead = true } }

    /// The most bytes that one call reads, writes or copies.
    var slice: Int {
        get { state.withLock { $0.slice } }
        set { state.withLock { $0.slice = newValue } }
    }

    /// True if flushes reach the disk; a test that is not about power cuts is faster without.
    var flushes: Bool {
        get { state.withLock { $0.flushes } }
        set { state.withLock { $0.flushes = newValue } }
    }

    /// True to simulate a file system that can share the blocks of files: it copies instead.
    var sharesBlocks: Bool {
        get { state.withLock { $0.sharesBlocks } }
        set { state.withLock { $0.sharesBlocks = newValue } }
    }

    /// The calls that were made since the last decision, the failed ones included.
    var made: [FileCall] { state.withLock { $0.made } }

    /// The number of calls that were made to fail.
    var failed: Int { state.withLock { $0.failed } }

    /// Makes a call, or has it fail.
    ///
    /// - Parameters:
    ///   - call: which one it is.
    ///   - half: does half of it, where it takes bytes.
    ///   - body: does all of it.
    /// - Returns: what the call returns.
    /// - Throws: what it is decided to fail with, or the call's own error.
    func pass<Value>(
        _ call: FileCall, half: () throws(Errno) -> Void = {}, _ body: () throws(Errno) -> Value
    ) throws(Errno) -> Value {
        let (decide, number, isDead) = state.withLock { state in
            defer { state.count += 1 }
            state.made.append(call)
            return (state.fate, state.count, state.isDead)
        }
        if isDead {
            // Descriptors go with the process.
            if call == .close { return try body() }
            throw .ioError
        }
        // Outside of the lock: the decision may be to die.
        let fate = decide(call, number)
        if case .works = fate { return try body() }
        state.withLock { $0.failed += 1 }
        switch fate {
        case .works: return try body()
        case .fails(let error):
            // A descriptor that is not closed would be lost to the test's process.
            if call == .close { _ = try body() }
            throw error
        case .failsLate(let error):
            _ = try body()
            throw error
        case .failsHalfway(let error):
            if call == .close { _ = try body() }
            try half()
            throw error
        }
    }

    /// A descriptor that the caller never sees is closed here.
    func opening(
        _ call: FileCall, _ body: () throws(Errno) -> FileDescriptor
    ) throws(Errno) -> FileDescriptor {
        var opened: FileDescriptor?
        do throws(Errno) {
            return try pass(call) { () throws(Errno) in
                let file = try body()
                opened = file
                return file
            }
        } catch {
            if let opened { try? real.close(opened) }
            throw error
        }
    }
}
