import CTestKernel
import CleatAdapters
import CleatIO
import CleatTestSupport
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A network interface in the namespace of the calling thread, which goes with it.
final class TestLink {
    static let reason = "needs root, and a kernel that makes veth pairs in a namespace"
    /// True if such interfaces can be made here.
    static let isAvailable: Bool = {
        guard Namespace.isAvailable, let loop = try? EventLoop() else { return false }
        let made: Void? = try? loop.block {
            try await OwnNamespaces.run { _ = try TestLink("cleat9") }
        }
        if made == nil { print("tests are skipped: \(reason)") }
        return made != nil
    }()

    let name: String

    init(_ name: String, peer: String = "cleat-peer", peerIsUp: Bool = true) throws {
        let result = unsafe name.withCString { name in
            unsafe peer.withCString { unsafe ctest_make_link(name, $0, peerIsUp ? 1 : 0) }
        }
        guard result == 0 else { throw Errno(rawValue: 0 - result) }
        self.name = name
    }

    /// Its number in the calling thread's namespace. if_nametoindex(3)
    var index: UInt32 { unsafe if_nametoindex(name) }

    deinit { _ = unsafe ctest_remove_link(name) }
}

/// Returns the kernel's state of one interface in the calling thread's namespace: its flag and MTU, all of its
/// addresses in their order, and all routes of all tables, byte by byte, without what changes by itself.
func kernelDump(_ interface: String) throws -> [String] {
    let kernel = SystemKernelCalls()
    func objects(_ kind: RouteRequest.Kind, _ size: Int) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        let request = RouteRequest(kind, body: [UInt8](repeating: 0, count: size), isDump: true)
        let refusal = try kernel.exchange(request, again: { found = [] }) { found.append(Array($0)) }
        if let refusal { throw refusal.errno }
        return found
    }
    func number(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        bytes[at..<(at + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    func attributes(_ bytes: [UInt8], _ start: Int, without masked: Set<UInt16>) -> String {
        var text = ""
        var at = start
        while at + 4 <= bytes.count {
            let length = Int(bytes[at]) | Int(bytes[at + 1]) << 8
            let type = (UInt16(bytes[at + 2]) | UInt16(bytes[at + 3]) << 8) & 0x3fff
            let value = Array(bytes[(at + 4)..<min(at + max(length, 4), bytes.count)])
            // The state of duplicate detection comes and goes.
            if type == 8, start == 8 {
                text += " flags \(number(value, 0) & ~0x48)"
            } else if !masked.contains(type) {
                text += " \(type) \(value)"
            }
            at += (max(length, 4) + 3) & ~3
        }
        return text
    }
    var lines: [String] = []
    var index: UInt32 = 0
    for link in try objects(.getLink, 16) {
        let name = Array(interface.utf8) + [0]
        guard link.indices.contains(where: { link[$0...].starts(with: [UInt8(name.count + 4), 0, 3, 0] + name) }) else {
            continue
        }
        index = number(link, 4)
        let mtu = link.indices.first { link[$0...].starts(with: [8, 0, 4, 0]) }.map { number(link, $0 + 4) }
        lines.append("link \(number(link, 8) & 1) \(mtu ?? 0)")
    }
    for address in try objects(.getAddresses, 8) where number(address, 4) == index {
        // The address of the link itself comes some time after it is switched on.
        if address[0] == 10, address[3] == 253 { continue }
        // Lifetimes run, and the eight bytes behind them say when the address was made.
        let lives = address.indices.first { address[$0...].starts(with: [20, 0, 6, 0]) }
            .map { address[($0 + 4)..<($0 + 12)].allSatisfy { $0 == 0xff } }
        lines.append(
            "address \([address[0], address[1], address[3]]) forever \(lives == true)"
                + attributes(address, 8, without: [6]))
    }
    let through: [UInt8] = [8, 0, 4, 0] + (0..<4).map { UInt8(truncatingIfNeeded: index >> ($0 * 8)) }
    let routes = try objects(.getRoutes, 12).filter { route in
        route.indices.contains { route[$0...].starts(with: through) }
    }
    // Those of the local table and of multicast the kernel makes itself, some time after an address has come or gone.
    let linkLocal: [UInt8] = [20, 0, 1, 0, 0xfe, 0x80]
    let others = routes.filter { route in
        route[4] != 255 && !route.indices.contains { route[$0...].starts(with: linkLocal) }
    }
    lines += others.map { route in
        // The on-link flag of a gateway counts only if a test has set it: a restored route whose gateway has no address
        // that reaches it needs the flag.
        let isOnLink = route[1] == 16 && route[8] & 4 != 0
        return "route \(Array(route[0..<8])) \(isOnLink)" + attributes(route, 12, without: [12])
    }.sorted()
    return lines
}
