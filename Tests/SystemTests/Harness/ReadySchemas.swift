import CleatTestSupport
import SystemPackage
import Testing

/// The schemas of `deploy/schemas`, and the real programs that they configure.
enum ReadySchemas {
    static let names = ["sshd", "authorized-keys", "nftables", "services"]
    static let place = TestPlaces.package.appending("deploy/schemas").string

    static let nftables = RealServices.unpacked(".build-nftables")
    static let nftablesReason: Comment =
        "needs nftables (.ci/setup test), its support in the kernel, python3 and overlayfs"
    static let hasNftables = Machine.can(
        "test -x \(nftables)/usr/sbin/nft && command -v python3 && grep -qw overlay /proc/filesystems "
            + "&& LD_LIBRARY_PATH=$(echo \(nftables)/usr/lib/*) unshare --net \(nftables)/usr/sbin/nft 'table inet a'",
        nftablesReason)

    static let openrc = RealServices.unpacked(".build-openrc")
    static let openrcReason: Comment = "needs OpenRC (.ci/setup test) and overlayfs"
    static let hasOpenRC = Machine.can(
        "test -x \(openrc)/usr/sbin/openrc-run && grep -qw overlay /proc/filesystems", openrcReason)

    static let sshdReason: Comment = "needs ssh, ssh-keygen, sshd and overlayfs"
    static let hasSSHD = Machine.can(
        "test -x /usr/sbin/sshd && command -v ssh && command -v ssh-keygen && grep -qw overlay /proc/filesystems",
        sshdReason)

    static let systemctlReason: Comment = "needs systemctl and overlayfs"
    static let hasSystemctl = Machine.can(
        "test -x /usr/bin/systemctl && grep -qw overlay /proc/filesystems", systemctlReason)

    /// Installs the schemas' programs below `/usr/share`, with unpacked packages below `/usr`.
    static func preparation(_ packages: [String] = []) -> String {
        let layers = (["$D/usr"] + packages.map { $0 + "/usr" } + ["/usr"]).joined(separator: ":")
        return """
            chmod 755 $D
            mkdir -p $D/usr/share/cleat
            cp -R \(place) $D/usr/share/cleat/schemas
            chown -R root:root $D/usr
            chmod -R u+w,go-w $D/usr

            """ + UnmanagedTests.preparation + """

                mount -t overlay -o lowerdir=\(layers) overlay /usr
                mount -t tmpfs -o mode=755 none /run
                mount -t tmpfs none /var/lib

                """
    }

    /// Ends the daemons of a namespace, also those that are no children of what holds it.
    private static let end = """
        own=$(readlink /proc/self/ns/net)
        for process in /proc/[0-9]*; do
            if [ "$(readlink $process/ns/net 2>/dev/null)" = "$own" ]; then
                case $(cat $process/comm 2>/dev/null) in
                sshd | sleep | python3) kill -9 ${process#/proc/} || true ;;
                esac
            fi
        done
        """

    /// Runs a test's body with the service in namespaces, with schemas switched on.
    static func with(
        _ enabled: [String], _ preparation: String,
        _ body: @escaping @Sendable (Board, PrivateNamespace, RunningAgent, RunningAgent.Options) async throws -> Void
    ) async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            for name in enabled {
                let copied = try await board.script("cp \(place)/\(name).json $D/etc/schema.d/ && chmod -R go-w $D/etc")
                try #require(copied.status == 0, "\(copied.errorText)")
            }
            let space = try await board.makeNamespace(preparation)
            var options = space.options
            options.isRooted = false
            do {
                try await body(board, space, try await board.start(options), options)
            } catch {
                _ = try? await space.script(end)
                throw error
            }
            _ = try? await space.script(end)
        }
    }

    /// Runs `cleat`.
    @discardableResult
    static func run(_ board: Board, _ words: String..., status: Int32 = 0) async throws -> Board.Finished {
        let done = try await board.cleat(words)
        #expect(done.status == status, "\(words): \(done)")
        return done
    }

    /// Expects that a change is refused or reverted with a message, and that the settings stay as they are.
    static func refuse(
        _ board: Board, _ words: [String], _ message: String, status: Int32 = 65
    ) async throws {
        let before = try await board.cleat("export")
        let done = try await board.cleat(words)
        #expect(done.status == status && done.errorText.contains(message), "\(words): \(done)")
        let after = try await board.cleat("export")
        #expect(before.lines.dropFirst() == after.lines.dropFirst(), "\(words)")
    }

    /// Kills the service while a schema's program runs after its file was written, and starts it again.
    static func interrupt(
        _ name: String, _ change: String, _ board: Board, _ space: PrivateNamespace, _ agent: RunningAgent,
        _ options: RunningAgent.Options
    ) async throws -> RunningAgent {
        let program = "/usr/share/cleat/schemas/\(name)"
        try board.write(
            program: "slow",
            """
            case $1 in check) exit 0 ;; esac
            touch '\(board.directory.text)/waits'
            exec sleep 30
            """)
        try await space.script("mount --bind $D/slow \(program)")
        async let lost = board.cleat("set", change)
        try await board.eventually("the program ran") { SystemCalls.exists(board.directory.appending("waits")) }
        await agent.kill()
        #expect(try await lost.status != 0)
        try await space.script("umount \(program); rm $D/waits")
        return try await board.start(options)
    }
}
