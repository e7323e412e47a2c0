import CleatIO
import CleatTestSupport
import Testing

/// Tests of a store whose file system is mounted after the service has started.
@Suite(
    "A store whose file system is mounted late", .tags(.fault),
    .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
struct LateMountTests {
    /// Starts the service, and has functions for the steps: `store` prints what is below the mount point.
    private static let start = """
        unset CLEAT_SOCKET
        "$CLEATD" >>"$D/usual.log" 2>&1 &
        service=$!
        until test -S /run/cleat/socket; do kill -0 $service; sleep 0.05; done
        until_set() { until "$CLEAT" set "$1" >/dev/null 2>&1; do kill -0 $service; sleep 0.05; done; }
        store() { find /var/lib -mindepth 1 | sort; }

        """

    @Test(
        "The service makes no store, refuses changes, and starts again with the store when the mount comes",
        arguments: [
            "echo 'none /var/lib/cleat none bind 0 0' >/etc/fstab",
            "mkdir -p /etc/cleat; echo '{ state: { mountRequired: \"/var/lib/cleat\" } }' >/etc/cleat/cleatd.json5",
        ])
    func late(requirement: String) async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                UnmanagedTests.preparation + "\nmount -t tmpfs none /run; mount -t tmpfs none /var/lib; mkdir $D/disk\n"
                    + "echo cleat:x:990: >>/etc/group\n" + requirement + "\n")
            let waiting = try await space.script(
                Self.start + """
                    "$CLEAT" set system/hostname=lost && exit 1
                    "$CLEAT" file put /etc/hosts documents/hosts && exit 1
                    "$CLEAT" doctor && exit 1
                    store
                    "$CLEAT" status | grep 'store note'
                    mkdir -p /etc/cleat/defaults.d
                    echo '{ "system": { "hostname": "vendor" } }' >/etc/cleat/defaults.d/vendor.json5
                    "$CLEAT" reload || true
                    "$CLEAT" get system/hostname
                    "$CLEAT" reapply --all && exit 1
                    "$CLEAT" reapply system/hostname && exit 1
                    "$CLEAT" drift
                    cat /etc/hostname
                    hostname
                    rm /etc/cleat/defaults.d/vendor.json5
                    "$CLEAT" reload || true
                    mkdir /var/lib/cleat
                    mount -t tmpfs none /mnt
                    kill -0 $service
                    mount --bind $D/disk /var/lib/cleat
                    until_set system/hostname=kept
                    "$CLEAT" doctor
                    "$CLEAT" file put /etc/hosts documents/hosts
                    cat /etc/hostname
                    used() { ls /proc/$service/fd | wc -l; ls /proc/$service/task | wc -l; grep -c " $service " /proc/net/netlink; }
                    sleep 2; used >$D/after
                    kill $service; wait $service
                    "$CLEATD" >>"$D/usual.log" 2>&1 &
                    service=$!
                    until_set system/hostname=other
                    until_set system/hostname=kept
                    "$CLEAT" file put /etc/hosts documents/hosts
                    sleep 2; used >$D/fresh
                    cat /etc/hostname
                    ls /run/cleat/store
                    diff $D/after $D/fresh
                    kill $service; wait $service

                    """)
            #expect(waiting.status == 0, "\(waiting)")
            let text = waiting.output + waiting.errorText
            #expect(text.contains("Nothing was changed. The store “/var/lib/cleat” is not there"), "\(text)")
            #expect(text.contains("nothing is mounted at /var/lib/cleat, which "), "\(text)")
            #expect(waiting.output.contains("\nvendor\nno outside edits found\nwas-here\nwas-here\n"), "\(text)")
            #expect(text.contains("Until the store is mounted, the vendor's defaults are in force"), "\(text)")
            #expect(!text.contains("failsafe") && waiting.output.hasSuffix("\nkept\n"), "\(text)")
            let stored = try await board.script("ls $D/disk")
            #expect(stored.output.contains("settings.db"), "\(stored)")

            // The next boot: the files stay as they are until the store is there, and then it is used as it was.
            let again = try await space.script(
                "umount /var/lib/cleat; rm -rf /run/cleat; echo edited >/etc/hostname\n" + Self.start + """
                    "$CLEAT" get system/hostname || true
                    cat /etc/hostname
                    store
                    mount --bind $D/disk /var/lib/cleat
                    until "$CLEAT" get system/hostname 2>/dev/null | grep kept; do kill -0 $service; sleep 0.05; done
                    "$CLEAT" log
                    kill $service; wait $service
                    cat "$D/usual.log"

                    """)
            #expect(again.status == 0, "\(again)")
            #expect(again.output.contains("edited\n/var/lib/cleat\nkept\n"), "\(again)")
            #expect(again.output.contains("the service starts again"), "\(again)")
        }
    }

    @Test(
        "A configuration that is corrected ends the wait; one with an error that names a mount does not lead to a store"
    )
    func configuration() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                UnmanagedTests.preparation
                    + "\nmount -t tmpfs none /run; mount -t tmpfs none /var/lib; mkdir /etc/cleat\n")
            let finished = try await space.script(
                "echo '{ logLevl: 1, state: { mountRequired: \"/data\" } }' >/etc/cleat/cleatd.json5\n" + Self.start
                    + """
                    "$CLEAT" set system/hostname=lost && exit 1
                    ls -A /var/lib
                    echo '{ state: { mountRequired: "/data" } }' >/etc/cleat/cleatd.json5
                    "$CLEAT" reload
                    until "$CLEAT" doctor | grep "nothing is mounted at /data, which"; do kill -0 $service; sleep 0.05; done
                    "$CLEAT" set system/hostname=lost && exit 1
                    ls -A /var/lib
                    echo '{ state: { mountRequired: false } }' >/etc/cleat/cleatd.json5
                    "$CLEAT" reload
                    until_set system/hostname=kept
                    cat /etc/hostname
                    kill $service; wait $service
                    echo '{ state: { mountRequired: true } }' >/etc/cleat/cleatd.json5
                    "$CLEATD" >>"$D/usual.log" 2>&1 &
                    service=$!
                    until test -S /run/cleat/socket; do kill -0 $service; sleep 0.05; done
                    "$CLEAT" get system/hostname
                    kill $service; wait $service

                    """)
            #expect(
                finished.errorText.contains("cleatd.json5, which names its file system, has an error"), "\(finished)")
            #expect(
                finished.errorText.contains("nothing is mounted at /data, which “state.mountRequired” names"),
                "\(finished)")
            #expect(finished.output.contains("\nkept\n") && finished.output.hasSuffix("\nkept\n"), "\(finished)")
        }
    }

    @Test("A store whose file system is read-only is used by the same process once it is writable")
    func writable() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                UnmanagedTests.preparation
                    + "\nmount -t tmpfs none /run; mount -t tmpfs none /var/lib; mkdir /var/lib/cleat; "
                    + "mount -t tmpfs -o mode=0700 none /var/lib/cleat\n")
            let finished = try await space.script(
                Self.start + """
                    "$CLEAT" set system/hostname=kept
                    kill $service; wait $service
                    mount -o remount,ro /var/lib/cleat
                    "$CLEATD" >>"$D/usual.log" 2>&1 &
                    service=$!
                    until "$CLEAT" get system/hostname 2>/dev/null; do kill -0 $service; sleep 0.05; done
                    "$CLEAT" set system/hostname=lost && exit 1
                    "$CLEAT" status | grep 'store note'
                    mount -t tmpfs none /mnt
                    sleep 0.5
                    "$CLEAT" set system/hostname=lost && exit 1
                    cat /etc/hostname
                    mount -o remount,rw /var/lib/cleat
                    until_set system/hostname=other
                    cat /etc/hostname
                    "$CLEAT" status | grep 'store note' && exit 1
                    "$CLEAT" log
                    ls /run/cleat/store
                    kill $service; wait $service

                    """)
            let text = finished.output + finished.errorText
            #expect(text.contains("Read-only file system"), "\(text)")
            #expect(text.contains("it opens the store once its file system is mounted writable"), "\(text)")
            #expect(finished.output.contains("\nkept\nother\n#2 "), "\(text)")
        }
    }

    @Test("Files of an update that has replaced the root file system are written again; other edits stay")
    func update() async throws {
        try await Board.with { board in
            // The root file system is that of the test's `/etc`, so that this is on it.
            let space = try await board.makeNamespace(
                UnmanagedTests.preparation + "\nmount -t tmpfs none /run; mount -t tmpfs none /var/lib\n")
            let boot = """
                unset CLEAT_SOCKET
                rm -rf /run/cleat; echo image-2 >/etc/hostname
                "$CLEATD" >>"$D/usual.log" 2>&1 &
                service=$!
                until test -S /run/cleat/socket; do kill -0 $service; sleep 0.05; done
                cat /etc/hostname
                "$CLEAT" drift || true
                kill $service; wait $service

                """
            let first = try await space.script(
                Self.start + """
                    "$CLEAT" set system/hostname=kept
                    kill $service; wait $service
                    cat /var/lib/cleat/root.mark

                    """)
            #expect(first.output.split(separator: "\n").last?.split(separator: " ").count == 2, "\(first)")
            let edited = try await space.script(boot)
            #expect(edited.output.hasPrefix("image-2\n/etc/hostname was edited"), "\(edited)")
            let isOnRoot = try await space.script("test $(stat -c %d /etc) = $(stat -c %d /) && echo yes || echo no")
            let updated = try await space.script("echo 'other:1 other' >/var/lib/cleat/root.mark\n" + boot)
            if isOnRoot.output == "yes\n" {
                #expect(updated.output.hasPrefix("kept\n"), "\(updated)")
                #expect(!updated.output.contains("was edited"), "\(updated)")
                // The origin is that of the update.
                let unset = try await space.script(
                    Self.start + #""$CLEAT" unset system/hostname; kill $service; wait $service; cat /etc/hostname"#
                        + "\n")
                #expect(unset.output.hasSuffix("image-2\n"), "\(unset)")
            } else {
                #expect(updated.output.hasPrefix("image-2\n/etc/hostname was edited"), "\(updated)")
            }
        }
    }
}
