import CleatAPI
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAgent

/// The findings for the file system below the store, by lines of mountinfo as Linux prints them.
@Suite("The file system below the store") struct StoreMountTests {
    private static let root = "22 1 179:2 / / rw,relatime shared:1 - ext4 /dev/root rw\n"

    private static func message(_ mounts: String, id: Int = 30, updater: String = "") -> String {
        let place = StorePlace(mounts: MountTable(mountinfo: root + mounts))
        let fdinfo = "pos:\t0\nflags:\t02400000\nmnt_id:\t\(id)\nino:\t3\n"
        return place.finding(for: "/var/lib/cleat", fdinfo: fdinfo) { $0 == updater }?.message ?? ""
    }

    @Test("Memory is named with its mount, also below an overlay; a partition is none")
    func memory() {
        #expect(Self.message("", id: 22) == "")
        let memory = "30 22 0:25 / /var/lib rw - tmpfs tmpfs rw\n"
        #expect(Self.message(memory).hasPrefix("is in memory (tmpfs at /var/lib)"))
        // The mount counts that the directory was opened on.
        #expect(Self.message(memory + "31 22 179:3 / /var/lib rw,noatime - ext4 /dev/mmcblk0p3 rw\n", id: 31) == "")
        #expect(Self.message(memory, id: 22) == "" && Self.message(memory, id: 300) == "")
        let overlay = "40 22 0:40 / /var rw - overlay overlay rw,lowerdir=/var,upperdir=/up\\040per/var,workdir=/w\n"
        #expect(Self.message(overlay, id: 40) == "")
        let found = Self.message("39 22 0:39 / /up\\040per rw - tmpfs tmpfs rw\n" + overlay, id: 40)
        #expect(found.contains("an overlay whose changes are in memory (tmpfs at /up per)"), "\(found)")
    }

    @Test("A root that an updater replaces is named with its file; a partition of its own is none")
    func root() {
        for (file, name) in [
            ("/etc/rauc/system.conf", "RAUC"), ("/etc/mender/mender.conf", "Mender"), ("/etc/swupdate.cfg", "SWUpdate"),
        ] {
            #expect(Self.message("", id: 22, updater: file).contains("which \(name) (\(file)) replaces with an update"))
            #expect(Self.message("30 22 179:3 / /var rw - ext4 /dev/mmcblk0p3 rw\n", updater: file) == "")
        }
    }

    @Test("Lines that are not those of mountinfo are skipped", .tags(.fault))
    func damaged() {
        for line in [
            "", "-", "1 2 3 4 5 - tmpfs", "- - - - - -", "30 22 0:25 / /var - tmpfs", "\\", "a b c d \\04 f - x y z",
        ] {
            #expect(Self.message(line + "\n") == "", "\(line)")
        }
        for fdinfo in ["", "mnt_id:", "mnt_id:\tx", "22"] {
            #expect(
                StorePlace(mounts: MountTable(mountinfo: Self.root))
                    .finding(for: "/var/lib/cleat", fdinfo: fdinfo) { _ in true } == nil)
        }
    }

    @Test(
        "A mount that systemd does not wait for is a finding with its unit, unless a drop-in names it",
        arguments: [
            ("/data", "nofail", "data.mount"), ("/data/cleat-a", "noatime,nofail", #"data-cleat\x2da.mount"#),
            (#"/a\040b/.c"#, "nofail", #"a\x20b-\x2ec.mount"#),
        ])
    func order(point: String, options: String, unit: String) {
        let place = StorePlace(
            mounts: MountTable(mountinfo: Self.root + "30 22 179:3 / \(point) rw - ext4 /dev/a rw\n"))
        func finding(_ options: String, _ dropIns: [String] = []) -> DoctorFinding? {
            place.orderFinding(
                for: "/var/lib/cleat", fdinfo: "mnt_id:\t30\n", table: "LABEL=data \(point) ext4 \(options) 0 2\n",
                dropIns: dropIns)
        }
        #expect(finding(options)?.remedy.contains("“After=\(unit)”") == true, "\(finding(options)?.remedy ?? "none")")
        #expect(finding("defaults") == nil && finding("noauto,nofail") == nil && finding("nofail,_netdev") == nil)
        #expect(finding("\(options),x-systemd.before=cleatd.service") == nil)
        #expect(finding(options, ["[Unit]\nAfter=\(unit)\n"]) == nil && finding(options, ["[Unit]\nAfter=x\n"]) != nil)
    }
}
