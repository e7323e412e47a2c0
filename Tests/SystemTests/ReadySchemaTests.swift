import CleatAPI
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of the ready schemas with the real daemons, in namespaces.
@Suite(
    "Ready schemas, end to end", .tags(.board), .serialized,
    .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
struct ReadySchemaTests {
    @Test("The reader accepts each file, alone and with the others, and the shell accepts each program")
    func valid() async throws {
        try await Board.with { board in
            let files = ReadySchemas.names.map { "\(ReadySchemas.place)/\($0).json" }
            for list in files.map({ [$0] }) + [files] {
                let checked = try await board.cleat(["schema", "check"] + list)
                #expect(checked.status == 0, "\(checked)")
            }
            for name in ReadySchemas.names {
                let program = "\(ReadySchemas.place)/\(name)"
                let checked = try await board.script("test -x \(program) && sh -n \(program)")
                #expect(checked.status == 0 && checked.errorText.isEmpty, "\(name): \(checked)")
            }
        }
    }

    @Test("Nothing is written before a setting is set", .enabled(if: ReadySchemas.hasSSHD, ReadySchemas.sshdReason))
    func unset() async throws {
        let dump = "find /etc /run /var/lib | sort; find /etc -type f -exec md5sum '{}' + | sort"
        let listing = "\n{ \(dump); } >$D/before"
        try await ReadySchemas.with(ReadySchemas.names, ReadySchemas.preparation() + listing) {
            board, space, agent, _ in
            #expect(try await agent.findings().isEmpty)
            let before = try await board.script("cat $D/before").output
            #expect(try await space.script(dump).output == before)
            let list = try await board.cleat("list")
            #expect(list.status == 0, "\(list)")
            #expect(try await space.script(dump).output == before)
        }
    }

    // MARK: sshd

    /// Users, keys, and a real sshd without systemd.
    private static let sshd =
        ReadySchemas.preparation() + """
            touch /etc/shadow
            for user in kim:2001 kimmy:2002 k.m:2003; do
                name=${user%:*}
                id=${user#*:}
                echo "$name:x:$id:$id::$D/home/$name:/bin/sh" >>/etc/passwd
                echo "$name:x:$id:" >>/etc/group
                echo "$name:*:19000:0:99999:7:::" >>/etc/shadow
                mkdir -p $D/home/$name/.ssh
            done
            mkdir -p /etc/ssh/sshd_config.d /run/sshd
            cat >/etc/ssh/sshd_config <<'END'
            Include /etc/ssh/sshd_config.d/*.conf
            KbdInteractiveAuthentication no
            UsePAM no
            PrintMotd no
            AuthorizedKeysFile .ssh/authorized_keys
            END
            ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key
            for key in a b own; do ssh-keygen -q -t ed25519 -N '' -C $key -f $D/$key; done
            cp $D/own.pub $D/home/kimmy/.ssh/authorized_keys
            for user in kim:2001 kimmy:2002 k.m:2003; do
                chown -R ${user#*:}:${user#*:} $D/home/${user%:*}
                chmod -R go-w $D/home/${user%:*}
            done
            /usr/sbin/sshd -D -E $D/sshd.log >/dev/null 2>&1 &
            while ! test -e /run/sshd.pid; do sleep 0.05; done

            """

    /// Prints the name of the user who is logged in, or the error.
    private static func login(_ key: String, _ user: String, _ port: Int = 22) -> String {
        "ssh -F none -i $D/\(key) -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=no "
            + "-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ConnectTimeout=20 -p \(port) \(user)@127.0.0.1 "
            + "id -un 2>&1 | tail -n 1"
    }

    private static let denied = ": Permission denied"

    @Test(
        "sshd is reloaded with each setting; what it refuses, or what another file overrides, is refused",
        .enabled(if: ReadySchemas.hasSSHD, ReadySchemas.sshdReason))
    func sshd() async throws {
        try await ReadySchemas.with(["sshd"], Self.sshd) { board, space, agent, options in
            let file = "/etc/ssh/sshd_config.d/50-cleat.conf"
            let own = Self.login("own", "kimmy")
            #expect(try await space.script(own).output == "kimmy\n")
            let daemon = try await space.script("cat /run/sshd.pid").output
            try await ReadySchemas.run(
                board, "set", "services/ssh/ports=[2200,2201]", "services/ssh/password_login=no",
                "services/ssh/root_login=prohibit-password", #"services/ssh/banner=["Example Ltd.","$HOME \"x\""]"#,
                "services/ssh/alive_interval=1m30s", "services/ssh/tcp_forwarding=local")
            #expect(
                try await space.script("cat \(file) /etc/ssh/cleat_banner").output == """
                    # Written by Cleat from services/ssh.
                    Port 2200
                    Port 2201
                    PasswordAuthentication no
                    KbdInteractiveAuthentication no
                    PermitRootLogin prohibit-password
                    Banner /etc/ssh/cleat_banner
                    ClientAliveInterval 1m30s
                    AllowTcpForwarding local
                    Example Ltd.
                    $HOME "x"

                    """)
            // It was reloaded, not restarted.
            #expect(try await space.script("cat /run/sshd.pid").output == daemon)
            for port in [2200, 2201] {
                #expect(try await space.script(Self.login("own", "kimmy", port)).output == "kimmy\n")
            }
            #expect(try await space.script(own).output.contains("Connection refused"))
            try await ReadySchemas.run(board, "set", #"services/ssh/allow_users=["kim"]"#)
            #expect(try await space.script(Self.login("own", "kimmy", 2200)).output.contains(Self.denied))
            try await ReadySchemas.run(board, "unset", "services/ssh/allow_users")

            for wrong in [
                "services/ssh/ports=[0]", "services/ssh/ports=[65536]", "services/ssh/ports=[]",
                "services/ssh/password_login=maybe", #"services/ssh/allow_users=["kim x"]"#,
                #"services/ssh/allow_users=["kim\nPort 1"]"#, #"services/ssh/banner=["a\nb"]"#,
                "services/ssh/alive_interval=250ms", #"services/ssh/listen_addresses=["1.2.3"]"#,
            ] {
                try await ReadySchemas.refuse(board, ["set", wrong], "nothing was changed")
            }
            // sshd ends if none of its addresses exists; the revert starts it again.
            try await ReadySchemas.refuse(
                board, ["set", #"services/ssh/listen_addresses=["198.51.100.77"]"#], "sshd does not listen on port",
                status: 10)
            #expect(try await space.script(Self.login("own", "kimmy", 2200)).output == "kimmy\n")

            let tries = ["set", "services/ssh/max_auth_tries=3"]
            try await space.script("echo 'PasswordAuthentication yes' >/etc/ssh/sshd_config.d/10-other.conf")
            try await ReadySchemas.refuse(board, tries, "another file sets PasswordAuthentication")
            try await space.script("rm /etc/ssh/sshd_config.d/10-other.conf; echo 'Port 22' >>/etc/ssh/sshd_config")
            try await ReadySchemas.refuse(board, tries, "port 22, port 2200, port 2201")
            try await space.script("sed -i -e '/^Port/d' -e '/^Include/d' /etc/ssh/sshd_config")
            try await ReadySchemas.refuse(board, tries, "does not read /etc/ssh/sshd_config.d; add this line")
            try await space.script("sed -i '1i include \"sshd_config.d/*.conf\"' /etc/ssh/sshd_config")
            try await ReadySchemas.run(board, "set", "services/ssh/max_auth_tries=3")

            // The service is killed between the file and the reload.
            let again = try await ReadySchemas.interrupt(
                "sshd", "services/ssh/ports=[2400]", board, space, agent, options)
            #expect(try await again.findings().isEmpty)
            #expect(try await space.script("grep Port \(file)").output == "Port 2200\nPort 2201\n")
            #expect(try await space.script(Self.login("own", "kimmy", 2200)).output == "kimmy\n")

            try await ReadySchemas.run(board, "reset", "services/ssh", "--yes")
            #expect(try await space.script("ls /etc/ssh/sshd_config.d; ls /etc/ssh").output.contains("cleat") == false)
            #expect(try await space.script(own).output == "kimmy\n")
            try await space.script("kill $(cat /run/sshd.pid)")
        }
    }

    // MARK: authorized-keys

    @Test(
        "A key admits its own user only; the users' own keys stay valid; wrong keys are refused",
        .enabled(if: ReadySchemas.hasSSHD, ReadySchemas.sshdReason))
    func authorizedKeys() async throws {
        try await ReadySchemas.with(["authorized-keys", "sshd"], Self.sshd) { board, space, agent, _ in
            let keys = "services/ssh/authorized_keys"
            let (first, second) = (
                try await board.script("cat $D/a.pub").lines[0], try await board.script("cat $D/b.pub").lines[0]
            )
            #expect(try await space.script(Self.login("a", "kim")).output.contains(Self.denied))
            try await ReadySchemas.run(board, "add", "\(keys)/kim", first)
            try await ReadySchemas.run(board, "add", "\(keys)/k.m", second)
            try await ReadySchemas.run(
                board, "add", "\(keys)/kimmy", #"restrict,command="echo forced \"x\"" "# + second)
            for (key, user, wanted) in [
                ("a", "kim", "kim"), ("b", "kim", nil), ("a", "kimmy", nil), ("b", "kimmy", "forced x"),
                ("own", "kimmy", "kimmy"), ("own", "kim", nil), ("a", "k.m", nil), ("b", "k.m", "k.m"),
                ("a", "root", nil),
            ] as [(String, String, String?)] {
                let output = try await space.script(Self.login(key, user)).output
                let isRight = wanted.map { output == $0 + "\n" } ?? output.contains(Self.denied)
                #expect(isRight, "\(key) \(user): \(output)")
            }
            let printed = try await space.script(
                """
                for name in kxm 'k*' '.*' '' user key ' kim' 'kim ' 'kim
                kimmy'; do /usr/share/cleat/schemas/authorized-keys print "$name"; done
                """)
            #expect(printed.output.isEmpty, "\(printed)")
            #expect(try await space.script("cat $D/home/kimmy/.ssh/authorized_keys | wc -l").output == "1\n")

            for wrong in [
                "nonsense", "ssh-ed25519", "ssh-ed25519 AAAA x", "\(first)\nuser root", "\(first)\nkey \(second)",
                #"command="x\#nuser root" \#(first)"#, #"command="x \#(first)"#,
            ] {
                try await ReadySchemas.refuse(board, ["add", "\(keys)/kim", wrong], "nothing was changed")
            }
            try await ReadySchemas.refuse(board, ["add", "\(keys)/nobody-here", first], "there is no user nobody-here")
            for name in ["a b", "a\"b", "-x", ""] {
                let refused = try await board.cleat("add", "\(keys)/\(name)", first)
                #expect(refused.status == 65, "\(name): \(refused)")
            }

            try await ReadySchemas.run(board, "unset", "\(keys)/kim")
            #expect(try await space.script(Self.login("a", "kim")).output.contains(Self.denied))
            try await ReadySchemas.run(board, "reset", keys, "--yes")
            #expect(try await space.script("ls -A /etc/ssh/sshd_config.d").output.isEmpty)
            #expect(try await space.script(Self.login("b", "k.m")).output.contains(Self.denied))
            #expect(try await space.script(Self.login("own", "kimmy")).output == "kimmy\n")

            // sshd takes one program for keys: that of another file is not replaced.
            try await space.script(
                "printf 'AuthorizedKeysCommand /usr/bin/other %%u\\nAuthorizedKeysCommandUser root\\n' "
                    + ">/etc/ssh/sshd_config.d/60-other.conf")
            try await ReadySchemas.refuse(
                board, ["add", "\(keys)/kim", first], "sshd has another program for keys already")
            #expect(try await agent.findings().isEmpty)
            try await space.script("kill $(cat /run/sshd.pid)")
        }
    }

    // MARK: nftables

    /// A network with another machine, and programs that listen on ports of the board.
    private static let network =
        ReadySchemas.preparation([ReadySchemas.nftables]) + """
            unshare --net sleep 600 &
            other=$!
            echo $other >$D/other
            while [ "$(readlink /proc/$other/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
            ip link add c0 type veth peer name c1 netns $other
            ip address add 192.0.2.1/24 dev c0
            ip address add 2001:db8::1/64 dev c0 nodad
            ip link set c0 up
            nsenter --target $other --net sh -ec '
                ip link set lo up
                ip address add 192.0.2.9/24 dev c1
                ip address add 192.0.2.10/24 dev c1
                ip address add 2001:db8::9/64 dev c1 nodad
                ip link set c1 up'
            cat >$D/listen.py <<'END'
            import select, socket, sys
            sockets = []
            for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
                for port in (22, 80, 8001, 9000):
                    s = socket.socket(family)
                    if family == socket.AF_INET6:
                        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                    s.bind((address, port))
                    s.listen()
                    sockets.append(s)
            open(sys.argv[1], "w").close()
            while True:
                for s in select.select(sockets, [], [])[0]:
                    s.accept()[0].close()
            END
            cat >$D/probe.py <<'END'
            import socket, sys
            for source, port in (word.split("-") for word in sys.argv[1:]):
                is6 = ":" in source
                s = socket.socket(socket.AF_INET6 if is6 else socket.AF_INET)
                s.settimeout(2)
                s.bind((source, 0))
                try:
                    s.connect(("2001:db8::1" if is6 else "192.0.2.1", int(port)))
                    print(source, port)
                except OSError:
                    pass
            END
            python3 $D/listen.py $D/listens >/dev/null 2>&1 &
            while ! test -e $D/listens; do sleep 0.05; done
            nft -f - <<'END'
            table inet theirs {
                chain input { type filter hook input priority 10; policy accept; }
            }
            END
            nft list ruleset >$D/theirs

            """

    /// Prints the ports to which the other machine can connect, with its address.
    private static let probe =
        "nsenter --target $(cat $D/other) --net python3 $D/probe.py 192.0.2.9-22 192.0.2.10-22 192.0.2.9-80 "
        + "192.0.2.9-8001 192.0.2.9-9000 2001:db8::9-22 2001:db8::9-80"

    @Test(
        "Ports are open and closed as the settings say, from a boot on; the tables of others stay",
        .enabled(if: Machine.hasVeth, Machine.vethReason),
        .enabled(if: ReadySchemas.hasNftables, ReadySchemas.nftablesReason))
    func nftables() async throws {
        try await ReadySchemas.with(["nftables"], Self.network) { board, space, agent, options in
            let all = try await space.script(Self.probe).output
            #expect(all.split(separator: "\n").count == 7, "\(all)")
            try await ReadySchemas.run(
                board, "set", "network/firewall/input=drop", "network/firewall/open/ssh/ports=[22]",
                #"network/firewall/open/ssh/from_ipv4=["192.0.2.9","198.51.100.0/24"]"#,
                #"network/firewall/open/web/ports=[80,"8000-8010"]"#, "network/firewall/open/web/interface=c0")
            let some = "192.0.2.9 22\n192.0.2.9 80\n192.0.2.9 8001\n2001:db8::9 80\n"
            #expect(try await space.script(Self.probe).output == some)
            try await space.script("python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9000), 5)'")
            #expect(try await space.script("nft list tables").output == "table inet theirs\ntable inet cleat\n")

            for (wrong, message) in [
                (#"network/firewall/open/web/ports=["90-80"]"#, "Range has zero or negative size"),
                ("network/firewall/open/web/ports=[0]", "at least 1"),
                ("network/firewall/open/web/ports=[70000]", "at most 65535"),
                (#"network/firewall/open/web/ports=["80; drop"]"#, "pattern"),
                (#"network/firewall/open/web/from_ipv4=["300.1.1.1"]"#, "pattern"),
                ("network/firewall/open/web/from_ipv4=[]", "at least 1"),
                (#"network/firewall/open/web/from_ipv6=["::1::2"]"#, "would write /run/cleat-firewall.nft"),
                (#"network/firewall/open/web/interface=c0"; accept"#, "interface name"),
                (#"network/firewall/open/a"b/ports=[1]"#, "pattern"),
                ("network/firewall/open/x/protocol=udp", "needs “ports” too"),
            ] {
                try await ReadySchemas.refuse(board, ["set", wrong], message)
            }
            try await ReadySchemas.refuse(board, ["unset", "network/firewall/input"], "needs “input” too")

            // A trial is in force, and reverts.
            try await ReadySchemas.run(
                board, "set", #"network/firewall/open/ssh/from_ipv6=["2001:db8::/64"]"#,
                "network/firewall/open/web/protocol=udp", "--confirm", "5m", "--id", "t")
            #expect(try await space.script(Self.probe).output == "192.0.2.9 22\n2001:db8::9 22\n")
            try await ReadySchemas.run(board, "abort", "t")
            #expect(try await space.script(Self.probe).output == some)

            // The service is killed between the file and the rules.
            var later = try await ReadySchemas.interrupt(
                "nftables", "network/firewall/input=accept", board, space, agent, options)
            #expect(try await later.findings().isEmpty)
            #expect(try await space.script(Self.probe).output == some)

            // A boot: /run and the rules are gone.
            try await later.stop()
            try SystemCalls.remove(board.runtime + "/applied")
            try await space.script("rm /run/cleat-firewall.nft; nft delete table inet cleat")
            later = try await board.start(options)
            #expect(try await space.script(Self.probe).output == some)
            #expect(try await later.findings().isEmpty)

            try await ReadySchemas.run(board, "set", "network/firewall/forward=drop")
            #expect(try await space.script("nft list chain inet cleat forward").output.contains("policy drop"))
            try await ReadySchemas.run(board, "reset", "network/firewall", "--yes")
            #expect(try await space.script(Self.probe).output == all)
            #expect(
                try await space.script("nft list ruleset | diff - $D/theirs; ls /run | grep cleat || true").output
                    .isEmpty)

            // Without nft.
            try await space.script(
                "mkdir $D/sbin; cp -a /usr/sbin/. $D/sbin; rm $D/sbin/nft; mount --bind $D/sbin /usr/sbin")
            try await ReadySchemas.refuse(
                board, ["set", "network/firewall/input=drop"], "there is no /usr/sbin/nft; install it")
        }
    }

    // MARK: services

    /// Services of OpenRC in the runlevel default, which note their starts and stops.
    private static let openrc =
        ReadySchemas.preparation([ReadySchemas.openrc]) + """
            mkdir -p /etc/init.d /etc/conf.d /etc/runlevels/sysinit /etc/runlevels/boot /etc/runlevels/default
            for name in starting started stopping inactive wasinactive failed hotplugged daemons options exclusive \
                scheduled tmp; do mkdir -p /run/openrc/$name; done
            echo 'rc_sys="prefix"' >/etc/rc.conf
            touch /etc/insserv.conf
            echo default >/run/openrc/softlevel
            for name in web time extra broken; do
                cat >/etc/init.d/$name <<END
            #!/sbin/openrc-run
            command=/usr/bin/sleep
            command_args=600
            command_background=yes
            pidfile=/run/$name.pid
            start_pre() { echo start \\$RC_SVCNAME >>$D/calls; [ \\$RC_SVCNAME != broken ]; }
            stop_pre() { echo stop \\$RC_SVCNAME >>$D/calls; }
            END
                chmod 755 /etc/init.d/$name
            done
            for name in time extra; do rc-service $name start >/dev/null 2>&1; done
            rc-update add time boot >/dev/null 2>&1
            rm $D/calls

            """

    /// Prints the runlevels and the state of each service, and the starts and stops since the last call.
    private static let services = """
        for name in web time extra broken; do
            echo $name $(cd /etc/runlevels && ls -d */$name 2>/dev/null) \
                $(if rc-service -q $name status >/dev/null 2>&1; then echo runs; fi)
        done
        cat $D/calls 2>/dev/null || true
        rm -f $D/calls
        """

    @Test(
        "OpenRC starts and stops what differs; unset, a failure and a killed service restore the former states",
        .enabled(if: ReadySchemas.hasOpenRC, ReadySchemas.openrcReason))
    func openrcServices() async throws {
        try await ReadySchemas.with(["services"], Self.openrc) { board, space, agent, options in
            let former = "web\ntime boot/time runs\nextra runs\nbroken\n"
            #expect(try await space.script(Self.services).output == former)
            try await ReadySchemas.run(
                board, "set", "services/units/web/enabled=true", "services/units/time/enabled=false")
            let changed = "web default/web runs\ntime\nextra runs\nbroken\n"
            #expect(try await space.script(Self.services).output == changed + "stop time\nstart web\n")
            // One that runs is enabled only.
            try await ReadySchemas.run(board, "set", "services/units/extra/enabled=true")
            let more = "web default/web runs\ntime\nextra default/extra runs\nbroken\n"
            #expect(try await space.script(Self.services).output == more)

            for (name, message) in [
                ("nosuch", "there is no service nosuch"), ("cleatd", "cleatd is the service that makes this change"),
                ("a b", "pattern"), ("a\"b", "pattern"), ("..~1x", "pattern"), ("-x", "pattern"),
            ] {
                try await ReadySchemas.refuse(board, ["set", "services/units/\(name)/enabled=true"], message)
            }
            try await ReadySchemas.refuse(
                board, ["set", "services/units/broken/enabled=true", "services/units/web/enabled=false"],
                "broken failed to start", status: 10)
            let after = try await space.script(Self.services).output
            #expect(after == more + "stop web\nstart broken\nstart web\n")

            try await ReadySchemas.run(
                board, "set", "services/units/web/enabled=false", "--confirm", "5m", "--id", "t")
            #expect(try await space.script(Self.services).output.hasPrefix("web\ntime\n"))
            try await ReadySchemas.run(board, "abort", "t")
            #expect(try await space.script(Self.services).output == more + "start web\n")

            let later = try await ReadySchemas.interrupt(
                "services", "services/units/web/enabled=false", board, space, agent, options)
            #expect(try await later.findings().isEmpty)
            #expect(try await space.script(Self.services).output == more)

            // The former state of a service that was uninstalled is forgotten.
            try await space.script("mv /etc/init.d/extra $D/extra; rm /etc/runlevels/default/extra")
            try await ReadySchemas.run(board, "unset", "services/units/extra/enabled")
            try await space.script("mv $D/extra /etc/init.d/extra")
            try await ReadySchemas.run(board, "reset", "services/units", "--yes")
            #expect(try await space.script(Self.services).output == former + "start time\nstop web\n")
            #expect(try await space.script("ls /etc | grep cleat || true").output.isEmpty)

            // While the system starts, services are enabled only, and OpenRC starts them later.
            try await space.script("echo boot >/run/openrc/softlevel")
            try await ReadySchemas.run(board, "set", "services/units/web/enabled=true")
            #expect(
                try await space.script(Self.services).output
                    == "web default/web\ntime boot/time runs\nextra runs\nbroken\n")
            try await ReadySchemas.run(board, "unset", "services/units/web/enabled")
            try await space.script("mv /run/openrc /run/other")
            try await ReadySchemas.refuse(
                board, ["set", "services/units/web/enabled=true"], "neither systemd nor OpenRC runs this system")
        }
    }

    /// Units, and a systemctl that enables by the real one, and keeps what runs in files: no systemd runs here.
    private static let systemd =
        ReadySchemas.preparation() + """
            mkdir -p /run/systemd/system /etc/systemd/system $D/active
            cp /usr/bin/systemctl $D/systemctl.real
            cat >$D/systemctl <<'END'
            #!/bin/sh
            for word; do case $word in -*) ;; *) unit=$word; verb=${verb:-$word} ;; esac; done
            case $verb in
            is-system-running) cat $D/system 2>/dev/null || echo running ;;
            is-active) test -e "$D/active/$unit" ;;
            start | stop)
                echo "$@" >>$D/calls
                case "$*" in *--no-block*) exit 0 ;; start*broken*) echo 'Job for broken failed' >&2; exit 1 ;; esac
                if [ $verb = start ]; then touch "$D/active/$unit"; else rm -f "$D/active/$unit"; fi
                ;;
            *) SYSTEMD_OFFLINE=1 exec $D/systemctl.real "$@" ;;
            esac
            END
            sed -i "2iD=$D" $D/systemctl
            chmod 755 $D/systemctl
            for name in web time broken; do
                printf '[Service]\\nExecStart=/usr/bin/sleep 600\\n[Install]\\nWantedBy=multi-user.target\\n' \
                    >/etc/systemd/system/$name.service
            done
            printf '[Service]\\nExecStart=/usr/bin/sleep 600\\n' >/etc/systemd/system/fixed.service
            ln -s /dev/null /etc/systemd/system/masked.service
            mount --bind $D/systemctl /usr/bin/systemctl
            systemctl enable time 2>/dev/null
            touch $D/active/time

            """

    @Test(
        "systemctl enables and starts, disables and stops; a start during the boot does not wait for the boot",
        .enabled(if: ReadySchemas.hasSystemctl, ReadySchemas.systemctlReason))
    func systemdServices() async throws {
        try await ReadySchemas.with(["services"], Self.systemd) { board, space, agent, _ in
            let state = """
                ls /etc/systemd/system/multi-user.target.wants 2>/dev/null || true
                ls $D/active
                cat $D/calls 2>/dev/null || true
                rm -f $D/calls
                """
            try await ReadySchemas.run(
                board, "set", "services/units/web/enabled=true", "services/units/time/enabled=false")
            #expect(try await space.script(state).output == "web.service\nweb\nstop -- time\nstart -- web\n")
            for (name, message) in [
                ("nosuch", "there is no service nosuch"), ("fixed", "fixed is static"), ("masked", "masked is masked"),
                ("web.service", "write web instead of web.service"),
            ] {
                try await ReadySchemas.refuse(board, ["set", "services/units/\(name)/enabled=true"], message)
            }
            try await ReadySchemas.refuse(
                board, ["set", "services/units/broken/enabled=true"], "Job for broken failed", status: 10)
            #expect(try await space.script(state).output.hasPrefix("web.service\nweb\n"))
            try await ReadySchemas.run(board, "reset", "services/units", "--yes")
            #expect(try await space.script(state).output == "time.service\ntime\nstart -- time\nstop -- web\n")

            try await space.script("echo starting >$D/system")
            try await ReadySchemas.run(board, "set", "services/units/web/enabled=true")
            #expect(
                try await space.script(state).output == "time.service\nweb.service\ntime\nstart --no-block -- web\n")
            #expect(try await agent.findings().isEmpty)
        }
    }
}
