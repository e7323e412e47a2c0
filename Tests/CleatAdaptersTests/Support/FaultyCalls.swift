import CleatAdapters
import CleatSandbox
import Synchronization
import SystemPackage

/// Makes the calls for files and for values of the kernel, and has one of them fail.
final class FaultyCalls: Sendable {
    private struct State {
        var count = 0
        var failing: (at: Int, error: Errno)?
        var failed = false
        var log: [String] = []
    }

    let real = SystemFileCalls()
    let kernel = SystemKernelCalls()
    private let state = Mutex(State())

    /// Has the call of this number fail, from 0, counted from now on; nil for none.
    func fail(at number: Int?, _ error: Errno = .ioError) {
        state.withLock { $0 = State(failing: number.map { ($0, error) }) }
    }

    /// How many calls were made since ``fail(at:_:)``.
    var count: Int { state.withLock { $0.count } }

    /// Whether the call that was to fail has been made.
    var failed: Bool { state.withLock { $0.failed } }

    /// The flushes and renames since ``fail(at:_:)``, in their order.
    var log: [String] { state.withLock { $0.log } }

    /// Makes a call that the log tells of.
    func pass<Value>(_ name: String, _ body: () throws(Errno) -> Value) throws(Errno) -> Value {
        state.withLock { $0.log.append(name) }
        return try pass(body)
    }

    func pass<Value>(_ body: () throws(Errno) -> Value) throws(Errno) -> Value {
        let error = state.withLock { state -> Errno? in
            defer { state.count += 1 }
            guard let failing = state.failing, failing.at == state.count else { return nil }
            state.failed = true
            return failing.error
        }
        if let error { throw error }
        return try body()
    }
}

extension FaultyCalls: KernelCalls {
    func read(attribute path: String) throws(Errno) -> [UInt8] {
        try pass { () throws(Errno) in try kernel.read(attribute: path) }
    }

    func write(_ bytes: [UInt8], toAttribute path: String) throws(Errno) {
        try pass { () throws(Errno) in try kernel.write(bytes, toAttribute: path) }
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
        try pass { () throws(Errno) in try kernel.setHostName(name) }
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
        try pass { () throws(Errno) in try kernel.exchange(request, again: again, each) }
    }
}
