import CleatAdapters
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// The MTU of interfaces that systemd-networkd or ifupdown has charge of: neither brings back the one that was there.
@Suite(.tags(.board), .enabled(if: TestLink.isAvailable, "\(TestLink.reason)"))
struct KeptMTUTests {
    private static let path = "/sys/class/net/cleat0/mtu"

    private static func mtu() throws -> String {
        String(decoding: try SystemKernelCalls().read(attribute: path), as: UTF8.self)
    }

    /// Does what the service does when it takes the file up.
    private static func takeUp() throws {
        try SystemKernelCalls().write(Array("1400\n".utf8), toAttribute: path)
    }

    @Test(
        "it is restored by a revert and by unset, but not for an interface that was removed meanwhile",
        arguments: [["run/systemd/netif/state"], ["usr/sbin/ifup", "etc/network"]])
    func kept(paths: [String]) async throws {
        try await OwnNamespaces.run {
            let board = try TestBoard(isRunning: true) { root in
                for path in paths { try makeDirectories(root + "/" + path) }
                if paths.count == 2 {
                    let file = FilePath("\(root)/etc/network/interfaces")
                    try FileDescriptor.open(file, .writeOnly, options: [.create], permissions: .ownerReadWrite).close()
                }
            }
            var link: TestLink? = try TestLink("cleat0")
            #expect(link?.name == "cleat0")
            let nothing = try InterfacesAdapterTests.settings([])
            let set = try InterfacesAdapterTests.settings([("cleat0/mtu", 1400)])
            var origins: [Resource: Memento] = [:]
            // With ifupdown the interface is restored as a whole, too.
            let kept: Set<Resource> =
                paths.count == 1
                ? [.attribute(Self.path)]
                : [
                    .attribute(Self.path), .interface("cleat0"),
                    .stanza("/etc/network/interfaces", interface: "cleat0"),
                ]
            for isUndone in [true, false] {
                let applied = try AppliedChange(board, from: nothing, to: set, origins: &origins)
                #expect(applied.isSuccess && applied.mementos.count == kept.count + 1, "\(applied.results)")
                #expect(try Self.mtu() == "1500\n")
                try Self.takeUp()
                if isUndone {
                    let undone = board.set.applier.restore(applied.mementos, on: board.system)
                    #expect(undone.allSatisfy { $0.isSuccess }, "\(undone)")
                } else {
                    #expect(try AppliedChange(board, from: set, to: nothing, origins: &origins).isSuccess)
                }
                #expect(try Self.mtu() == "1500\n")
            }
            let applied = try AppliedChange(board, from: nothing, to: set, origins: &origins)
            link = nil
            let gone = board.set.applier.restore(applied.mementos, on: board.system)
            #expect(gone.allSatisfy { $0.isSuccess }, "\(gone)")
            #expect(Set(gone.flatMap(\.skipped).map(\.resource)) == kept)
            // An interface that is plugged in later has no former MTU to restore.
            let absent = try AppliedChange(board, from: nothing, to: set, origins: &origins)
            #expect(
                absent.isSuccess && absent.mementos.filter(\.isNothing).count == kept.count, "\(absent.results)"
            )
            let undone = board.set.applier.restore(absent.mementos, on: board.system)
            #expect(undone.allSatisfy { $0.isSuccess }, "\(undone)")
        }
    }
}
