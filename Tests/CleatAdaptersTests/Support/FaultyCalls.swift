import CleatAdapters
import CleatSandbox
import Synchronization
import SystemPackage

/// Makes the calls for files and for values of the kernel, and has one of them fail, or all that write.
final class FaultyCalls: Sendable {
    private struct State {
        var count = 0
        var writes = 0
        var failing: (calls: ClosedRange<Int>, isOnlyWrites: Bool, error: Errno)?
        var failed = false
        var pretends = false
        var log: [String] = []
    }

    let real = SystemFileCalls()
    let kernel: any KernelCalls
    private let state = Mutex(State())

    init(_ kernel: any KernelCalls = SystemKernelCalls()) { self.kernel = kernel }

    /// Has the call of this number fail, from 0, counted from now on; nil for none.
    func fail(at number: Int?, _ error: Errno = .ioError) {
        state.withLock { $0 = State(failing: number.map { ($0...$0, false, error) }) }
    }

    /// Has the call of this number fail, from 0, counted from now on, and all that come after it.
    func fail(from number: Int, _ error: Errno) {
        state.withLock { $0 = State(failing: (number...Int.max, false, error)) }
    }

    /// Has the call that writes of this number fail, from 0, counted from now on, and all that write and come after it.
    func fail(writesFrom number: Int, _ error: Errno) {
        state.withLock { $0 = State(failing: (number...Int.max, true, error)) }
    }

    /// Has rtnetlink answer that it has done what it was asked for, and do nothing.
    func pretend() { state.withLock { $0 = State(pretends: true) } }

    /// The number of calls since the last change of the faults.
    var count: Int { state.withLock { $0.count } }

    /// The number of calls that would have written something.
    var writes: Int { state.withLock { $0.writes } }

    /// True if a call that was to fail has been made.
    var failed: Bool { state.withLock { $0.failed } }

    /// The flushes and renames since the last change of the faults, in their order.
    var log: [String] { state.withLock { $0.log } }

    /// Makes a call that is recorded in the log.
    func pass<Value>(
        _ name: String, writes isWrite: Bool = false, _ body: () throws(Errno) -> Value
    ) throws(Errno) -> Value {
        state.withLock { $0.log.append(name) }
        return try pass(writes: isWrite, body)
    }

    func pass<Value>(writes isWrite: Bool = false, _ body: () throws(Errno) -> Value) throws(Errno) -> Value {
        if let error = refusal(isWrite) { throw error }
        do throws(Errno) {
            return try body()
        } catch {
            // What the kernel wants made again, since others have renamed something meanwhile, is one call.
            if error == .resourceTemporarilyUnavailable || error == .interrupted {
                state.withLock { state in
                    state.count -= 1
                    if isWrite { state.writes -= 1 }
                }
            }
            throw error
        }
    }

    /// Counts a call; says with what it is to fail.
    private func refusal(_ isWrite: Bool) -> Errno? {
        state.withLock { state -> Errno? in
            defer {
                state.count += 1
                if isWrite { state.writes += 1 }
            }
            guard let failing = state.failing, isWrite || !failing.isOnlyWrites,
                failing.calls.contains(failing.isOnlyWrites ? state.writes : state.count)
            else { return nil }
            state.failed = true
            return failing.error
        }
    }
}

extension FaultyCalls: KernelCalls {
    func read(attribute path: String) throws(Errno) -> [UInt8] {
        try pass { () throws(Errno) in try kernel.read(attribute: path) }
    }

    func names(in directory: String) throws(Errno) -> [String] {
        try pass { () throws(Errno) in try kernel.names(in: directory) }
    }

    func write(_ bytes: [UInt8], toAttribute path: String) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try kernel.write(bytes, toAttribute: path) }
    }

    func mayWrite(attribute path: String) throws(Errno) -> Bool {
        try pass { () throws(Errno) in try kernel.mayWrite(attribute: path) }
    }

    func isPublic(attribute path: String) throws(Errno) -> Bool {
        try pass { () throws(Errno) in try kernel.isPublic(attribute: path) }
    }

    func hostName() throws(Errno) -> [UInt8] {
        try pass { () throws(Errno) in try kernel.hostName() }
    }

    func setHostName(_ name: [UInt8]) throws(Errno) {
        try pass(writes: true) { () throws(Errno) in try kernel.setHostName(name) }
    }

    func maySetHostName() throws(Errno) -> Bool {
        try pass { () throws(Errno) in try kernel.maySetHostName() }
    }

    func mayConfigureNetwork() throws(Errno) -> Bool {
        try pass { () throws(Errno) in try kernel.mayConfigureNetwork() }
    }

    func exchange(
        _ request: RouteRequest, again: () -> Void, _ each: (ArraySlice<UInt8>) -> Void
    ) throws(Errno) -> RouteRefusal? {
        let isWrite = ![RouteRequest.Kind.getLink, .getAddresses, .getRoutes].contains(request.kind)
        // What the kernel does not allow it answers; else it cannot be asked.
        if let error = refusal(isWrite) {
            if error == .notPermitted || error == .noMemory { return RouteRefusal(error, text: "for a test") }
            throw error
        }
        if isWrite, state.withLock({ $0.pretends }) { return nil }
        return try kernel.exchange(request, again: again, each)
    }
}
