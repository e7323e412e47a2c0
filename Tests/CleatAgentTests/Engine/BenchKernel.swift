import CleatAdapters
import Synchronization
import SystemPackage

/// A kernel in memory: values, a host name and interfaces, of which any call can be made to fail.
final class BenchKernel: KernelCalls {
    /// A call that can be made to fail.
    enum Call: Hashable, Sendable {
        case read, write, hostName, setHostName
        case route(RouteRequest.Kind)
    }

    private struct Link {
        let index: UInt32
        var flags: UInt32 = 0
        var mtu: UInt32 = 1_500
    }

    private struct State {
        var values: [String: String] = [:]
        var hostName = Array("factory".utf8)
        var links: [String: Link] = [:]
        var addresses: [[UInt8]] = []
        var routes: [[UInt8]] = []
        var failing: Set<Call> = []
        var writesLeft: Int?
    }

    private let state = Mutex(State())

    /// Has calls fail with EPERM from now on.
    func fail(_ calls: Set<Call>) { state.withLock { ($0.failing, $0.writesLeft) = (calls, nil) } }

    /// Has writes of values fail with EPERM once a number of them has succeeded.
    func fail(writesAfter count: Int) { state.withLock { $0.writesLeft = count } }

    /// The value of a file of sysfs or of `/proc/sys`; nil if there is none.
    subscript(path: String) -> String? {
        get { state.withLock { $0.values[path] } }
        set { state.withLock { $0.values[path] = newValue } }
    }

    /// The host name.
    var name: String { state.withLock { String(decoding: $0.hostName, as: UTF8.self) } }

    /// Sets the host name, as another program does.
    func setOutside(name: String) { state.withLock { $0.hostName = Array(name.utf8) } }

    /// Adds an interface that is switched off.
    func plug(_ name: String) {
        state.withLock { $0.links[name] = Link(index: UInt32($0.links.count) + 2) }
    }

    /// Removes an interface.
    func unplug(_ name: String) { state.withLock { $0.links[name] = nil } }

    /// The MTU of an interface; nil if there is none.
    func mtu(of name: String) -> UInt32? { state.withLock { $0.links[name]?.mtu } }

    /// Sets the MTU of an interface, as another program does.
    func set(mtu: UInt32, of name: String) { state.withLock { $0.links[name]?.mtu = mtu } }

    /// The number of addresses of all interfaces.
    var addressCount: Int { state.withLock { $0.addresses.count } }

    private func pass(_ call: Call) throws(Errno) {
        let fails = state.withLock { state in
            if call == .write, let left = state.writesLeft {
                state.writesLeft = max(0, left - 1)
                if left == 0 { return true }
            }
            return state.failing.contains(call)
        }
        if fails { throw .notPermitted }
    }

    func names(in directory: String) throws(Errno) -> [String] {
        state.withLock { directory == "/sys/class/net" ? Array($0.links.keys) : [] }
    }

    func read(attribute path: String) throws(Errno) -> [UInt8] {
        try pass(.read)
        guard let value = self[path] else { throw .noSuchFileOrDirectory }
        return Array("\(value)\n".utf8)
    }

    func write(_ bytes: [UInt8], toAttribute path: String) throws(Errno) {
        try pass(.write)
        guard self[path] != nil else { throw .noSuchFileOrDirectory }
        let text = String(decoding: bytes, as: UTF8.self)
        state.withLock { $0.values[path] = text.hasSuffix("\n") ? String(text.dropLast()) : text }
    }

    func mayWrite(attribute path: String) throws(Errno) -> Bool { self[path] != nil }

    func isPublic(attribute path: String) throws(Errno) -> Bool { !path.hasSuffix("/hidden") }

    func hostName() throws(Errno) -> [UInt8] {
        try pass(.hostName)
        return state.withLock { $0.hostName }
    }

    func setHostName(_ name: [UInt8]) throws(Errno) {
        try pass(.setHostName)
        state.withLock { $0.hostName = name }
    }

    func maySetHostName() throws(Errno) -> Bool { true }

    func mayConfigureNetwork() throws(Errno) -> Bool { true }

    func exchange(
        _ request: RouteRequest, again: () -> Void, _ each: (ArraySlice<UInt8>) -> Void
    ) throws(Errno) -> RouteRefusal? {
        let body = request.body
        let (refusal, objects) = state.withLock { state -> (RouteRefusal?, [[UInt8]]) in
            if state.failing.contains(.route(request.kind)) { return (RouteRefusal(.notPermitted), []) }
            switch request.kind {
            // This kernel has no virtual links.
            case .getLink where request.isDump: return (nil, [])
            case .removeLink: return (RouteRefusal(.notSupported), [])
            case .getLink:
                // The name is the value of the only attribute, with a zero at its end.
                let name = String(decoding: body.dropFirst(20).prefix { $0 != 0 }, as: UTF8.self)
                guard let link = state.links[name] else { return (RouteRefusal(Errno(rawValue: 19)), []) }
                let head = Self.bytes(0) + Self.bytes(link.index) + Self.bytes(link.flags) + Self.bytes(0)
                // IFLA_MTU, of eight bytes with its head.
                return (nil, [head + Self.half(8) + Self.half(4) + Self.bytes(link.mtu)])
            case .setLink:
                guard let name = state.links.first(where: { $0.value.index == Self.number(body, 4) })?.key else {
                    return (RouteRefusal(Errno(rawValue: 19)), [])
                }
                let change = Self.number(body, 12)
                let flags = state.links[name]?.flags ?? 0
                state.links[name]?.flags = (flags & ~change) | (Self.number(body, 8) & change)
                if body.count >= 24 { state.links[name]?.mtu = Self.number(body, 20) }
                return (nil, [])
            case .getAddresses: return (nil, state.addresses)
            case .addAddress: state.addresses.append(body)
            case .removeAddress:
                state.addresses.removeAll { $0[0] == body[0] && $0[8..<16] == body[8..<16] }
            case .getRoutes: return (nil, state.routes)
            case .addRoute: state.routes.append(body)
            case .removeRoute: state.routes.removeAll { $0 == body }
            }
            return (nil, [])
        }
        for object in objects { each(object[...]) }
        return refusal
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
    }

    private static func half(_ value: UInt16) -> [UInt8] {
        unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }
}
