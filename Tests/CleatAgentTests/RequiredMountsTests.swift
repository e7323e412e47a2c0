import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAgent

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The file systems that the store waits for.
@Suite("Required mounts") struct RequiredMountsTests {
    private static let root = "22 1 179:2 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
    private static let data = "30 22 179:3 / /data rw - ext4 /dev/mmcblk0p3 rw\n"
    private static let own = "31 22 179:3 /cleat /var/lib/cleat rw - ext4 /dev/mmcblk0p3 rw\n"

    private static func obstacle(
        _ required: RequiredMounts, _ mounts: String = "", table: String? = nil, state: FilePath = "/var/lib/cleat"
    ) -> String? {
        required.obstacle(for: state, { MountTable(mountinfo: root + mounts) }, table: table)
    }

    @Test("Of /etc/fstab those count that a boot mounts at the state directory or above it")
    func table() {
        let lines = [
            "/dev/mmcblk0p3 /var/lib/cleat ext4 defaults 0 2", "/dev/mmcblk0p3\t/var/lib  ext4", "a /var/ b nofail 0 0",
        ]
        for line in lines {
            let missing = Self.obstacle(.ofTable, table: "# comment\nproc /proc proc\n\(line)\n")
            #expect(missing?.contains("which is in /etc/fstab") == true, "\(line)")
        }
        #expect(Self.obstacle(.ofTable, Self.own, table: lines[0]) == nil)
        #expect(Self.obstacle(.ofTable, Self.data, table: lines[0]) != nil)
        for line in [
            "# a /var/lib b", "a /var/lib/other b", "a /var/lib/cleat2 b", "a /var/lib b noauto", "a / b",
            "a none swap", #"a /var\000/lib b"#, #"a /\000 b"#, #"a /var\777/lib\8 b"#,
            "a /var/lib", "",
        ] {
            #expect(Self.obstacle(.ofTable, table: line) == nil, "\(line)")
        }
        #expect(Self.obstacle(.ofTable) == nil)
        let escaped = Self.obstacle(.ofTable, table: #"a /my\040data b"#, state: "/my data/cleat")
        #expect(escaped == "nothing is mounted at /my data, which is in /etc/fstab")
    }

    @Test("A configured mount is required whatever /etc/fstab has")
    func configured() {
        #expect(Self.obstacle(.at("/data")) == "nothing is mounted at /data, which “state.mountRequired” names")
        #expect(Self.obstacle(.at("/data"), Self.data) == nil)
        #expect(Self.obstacle(.any, Self.data)?.contains("requires that") == true)
        #expect(Self.obstacle(.any, Self.own) == nil)
        #expect(Self.obstacle(.any, Self.data, state: "/data/cleat") == nil)
        #expect(Self.obstacle(.none, table: "a /var/lib b") == nil)
    }

    @Test(
        "The configuration has true, false or a directory",
        arguments: [
            ("{}", RequiredMounts.ofTable), ("{ state: {} }", .ofTable), ("{ state: { mountRequired: true } }", .any),
            ("{ state: { mountRequired: false } }", .none), (#"{ state: { mountRequired: "/data" } }"#, .at("/data")),
        ])
    func configuration(text: String, required: RequiredMounts) throws {
        #expect(try AgentConfiguration(text: Array(text.utf8)).requiredMounts == required)
    }

    @Test(
        "Other values are refused, with their position",
        arguments: [
            "{ state: 1 }", "{ state: { mount: true } }", "{ state: { mountRequired: 1 } }",
            #"{ state: { mountRequired: "data" } }"#, #"{ state: { mountRequired: "/data/../x" } }"#,
            #"{ state: { mountRequired: "/" } }"#, #"{ state: { mountRequired: "" } }"#,
        ])
    func refused(_ text: String) {
        let error = #expect(throws: ConfigurationError.self) { try AgentConfiguration(text: Array(text.utf8)) }
        #expect(error?.position != nil)
    }

    @Test("Symbolic links are followed, also to what is not there yet")
    func links() throws {
        let directory = try TemporaryDirectory()
        let path = RequiredMounts.withoutLinks(directory.path)
        for (name, target) in [("far", "/data/cleat"), ("near", "../here"), ("loop", "loop")] {
            #expect(unsafe symlink(target, directory.appending(name)) == 0)
        }
        #expect(RequiredMounts.withoutLinks(directory.path.appending("far/sub")) == "/data/cleat/sub")
        #expect(
            RequiredMounts.withoutLinks(directory.path.appending("near"))
                == path.removingLastComponent().appending("here"))
        #expect(RequiredMounts.withoutLinks(directory.path.appending("loop")).lastComponent == "loop")
        #expect(RequiredMounts.withoutLinks("/no/such/../place") == "/no/place")
    }
}
