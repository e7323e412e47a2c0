import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// `cleat -H`, through the real ssh, a private sshd on the loopback interface and the real `cleatd connect`.
///
/// As root all of it runs in namespaces of its own, with its own `/run`; as an ordinary user on a free port.
@Suite struct RemoteTests {
    /// What one call gave: its exit status, what it printed, and its error as JSON.
    private struct Outcome {
        let status: Int
        let output: String
        let error: JSONObject?
    }

    /// Starts everything, then makes one call after the other, each introduced by `try NAME ARGUMENTS…`.
    private static let script = #"""
        mkdir -p "$DIR/state" "$DIR/run" "$DIR/config" "$DIR/root"
        cd "$DIR"
        if [ "$(id -u)" = 0 ]; then
            ip link set lo up
            mount -t tmpfs none /run
            mkdir -m 0755 /run/sshd
        fi
        ssh-keygen -q -t ed25519 -N '' -f host
        ssh-keygen -q -t ed25519 -N '' -f own
        ssh-keygen -q -t ed25519 -N '' -f other
        cp own.pub authorized
        chmod 600 authorized
        cat >sshd_config <<END
        ListenAddress 127.0.0.1
        Port $PORT
        HostKey $DIR/host
        AuthorizedKeysFile $DIR/authorized
        StrictModes no
        UsePAM no
        PermitRootLogin yes
        PasswordAuthentication no
        KbdInteractiveAuthentication no
        PidFile none
        END
        printf '[127.0.0.1]:%s %s\n' "$PORT" "$(cut -d' ' -f1,2 host.pub)" >known
        printf '[127.0.0.1]:%s %s\n' "$PORT" "$(cut -d' ' -f1,2 other.pub)" >forged
        : >empty
        for known in known forged empty; do
            printf 'IdentitiesOnly yes\nStrictHostKeyChecking yes\nGlobalKnownHostsFile none\nUserKnownHostsFile %s\nUser %s\n' \
                "$DIR/$known" "$(id -un)" >"ssh_$known"
        done

        "$BIN/cleatd" --state state --runtime run --config config --root root >service.log 2>&1 &
        service=$!
        "$(command -v sshd)" -D -e -f "$DIR/sshd_config" >sshd.log 2>&1 &
        sshd=$!
        trap 'kill $service $sshd 2>/dev/null || :' EXIT
        for _ in $(seq 1 500); do
            [ -S run/socket ] && grep -q 'listening on' sshd.log && break
            kill -0 $service && kill -0 $sshd || { cat service.log sshd.log; exit 1; }
            sleep 0.02
        done

        connect="$BIN/cleatd connect --socket $DIR/run/socket"
        host=127.0.0.1:$PORT
        config=ssh_known
        key=own
        try() {
            name=$1
            shift
            status=0
            "$BIN/cleat" -H "$host" --ssh "ssh -F $config -i $key" --remote-command "$connect" "$@" --output json \
                >output 2>error </dev/null || status=$?
            printf '%s\t%s\t%s\t%s\n' "$name" "$status" "$(tr -d '\n\t' <output)" "$(tr -d '\n\t' <error)"
        }
        try set set system/hostname=pump-7
        try get get system/hostname
        try unknown get nothing/here
        try watch watch system -n 1 &
        watching=$!
        try_again() { for _ in $(seq 1 50); do kill -0 $watching 2>/dev/null || break; "$BIN/cleat" --socket run/socket set system/hostname=pump-$(date +%N) >/dev/null 2>&1; sleep 0.1; done; }
        try_again
        wait $watching
        try list list
        (host=nowhere.invalid; try resolve status)
        (host=127.0.0.1:1; try connect status)
        (key=other; try authenticate status)
        (config=ssh_forged; try forged status)
        (config=ssh_empty; try stranger status)
        (connect=/nowhere/cleatd; try start status)
        (connect="$BIN/cleatd connect --socket $DIR/none"; try service status)
        (connect="echo hello; $connect"; try speak status)
        kill $service
        wait $service || :
        try stopped status
        """#

    @Test(.enabled(if: RemoteTests.isAvailable, "needs sshd, ssh and, as root, namespaces"))
    func everyStepOfTheWay() async throws {
        let directory = try TemporaryDirectory()
        let program = FilePath(ProgramFiles.directory)
        let result = try await withLoop { loop in
            let environment = [
                "DIR": directory.text, "BIN": program.string, "PORT": "\(Int.random(in: 20_000..<30_000))",
                "LC_ALL": "C",
                "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": directory.text,
            ]
            guard ProgramFiles.isRoot else {
                return try await loop.run(
                    ChildCommand(
                        program: .path("/bin/sh"), arguments: ["-e", "-c", Self.script], environment: environment,
                        outputLimit: 1 << 20, timeout: .seconds(120)))
            }
            return try await Namespace.run(
                Self.script, environment: environment, timeout: .seconds(120), on: loop)
        }
        let logs = [(try? directory.read("service.log")) ?? "", (try? directory.read("sshd.log")) ?? ""]
        try #require(result.isSuccess, "\(result.outputText)\n\(logs)")
        var outcomes: [String: Outcome] = [:]
        for line in result.outputText.split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 4, let status = Int(fields[1]) else { continue }
            outcomes[fields[0]] = Outcome(
                status: status, output: fields[2], error: (try? JSONReader.read(fields[3]))?.objectValue)
        }

        func expect(
            _ name: String, _ status: Int, layer: String? = nil, output: String? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let outcome = try #require(outcomes[name], "\(result.outputText)", sourceLocation: sourceLocation)
            #expect(outcome.status == status, "\(name): \(outcome) \(logs)", sourceLocation: sourceLocation)
            #expect(
                outcome.error?["layer"]?.stringValue == layer, "\(name): \(outcome)", sourceLocation: sourceLocation)
            if let output {
                #expect(outcome.output.contains(output), "\(name): \(outcome)", sourceLocation: sourceLocation)
            }
        }
        try expect("set", 0, output: "pump-7")
        try expect("get", 0, output: "pump-7")
        try expect("list", 0, output: "system/hostname")
        try expect("watch", 0, output: #""initial":false"#)
        try expect("unknown", 65, layer: "validate")
        try expect("resolve", 69, layer: "resolve")
        try expect("connect", 69, layer: "connect")
        try expect("authenticate", 77, layer: "authenticate")
        try expect("forged", 77, layer: "authenticate")
        try expect("stranger", 77, layer: "authenticate")
        try expect("start", 69, layer: "start")
        try expect("service", 69, layer: "start")
        try expect("speak", 69, layer: "speak")
        try expect("stopped", 69, layer: "start")
    }

    private static let isAvailable: Bool = {
        let found = ["/usr/sbin/sshd", "/usr/bin/ssh", "/usr/bin/ssh-keygen"].allSatisfy(ProgramFiles.exists)
        return found && (!ProgramFiles.isRoot || Namespace.isAvailable)
    }()
}
