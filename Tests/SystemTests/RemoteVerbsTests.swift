import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// Every verb of the command line with every option that it has, on a board behind a real sshd.
@Suite("Every verb through ssh", .tags(.fault), .serialized, .enabled(if: PrivateSSH.isAvailable, PrivateSSH.reason))
struct RemoteVerbsTests {
    /// One use of a verb.
    ///
    /// In its words `@D` is a directory of this machine, `@EXPECT` the present state, `@INSTANCE` the
    /// service's run.
    private struct Form: Sendable {
        let words: String
        var status: Int32 = 0
        /// True if it changes nothing, so that it prints the same without ssh.
        var isSame = false
        var input: String?
        /// Shell lines that run on the board before.
        var before = ""
        /// True if it waits for changes: they are made until it has ended, or the time limit has passed.
        var isFollowing = false
        var needsNoBoard = false

        static func read(_ words: String, status: Int32 = 0) -> Form {
            Form(words: words, status: status, isSame: true)
        }
        /// A form that needs no board, and takes none.
        static func desk(_ words: String, input: String? = nil) -> Form {
            Form(words: words, input: input, needsNoBoard: true)
        }
        static func follow(_ words: String) -> Form { Form(words: words, isFollowing: true) }
        static func write(_ words: String, status: Int32 = 0, input: String? = nil, before: String = "") -> Form {
            Form(words: words, status: status, input: input, before: before)
        }
    }

    /// The options of all that makes a change on trial; the trial ends when its probe holds.
    private static let trial = "-c why --confirm 1m --until command:ok --wait"

    /// Changes a file that the service has written.
    private static let edit = "echo edited-$$ >$D/root/etc/hostname"

    private static let forms: [Form] = [
        .write("set system/hostname=one --yes-cut-me-off"),
        .write("set system/hostname=two --id set-1 --expect @EXPECT \(trial)"),
        .write("set system/hostname=three --check"), .write("set system/hostname=three --volatile"),
        .write("unset system/hostname --volatile"), .write("set --stdin system/hostname", input: "four\n"),
        .write("set network/interfaces/eth7/mtu=1", status: 65),
        .read("get system/hostname"), .read("get system"), .read("get system/hostname --reveal"),
        .read("get system/hostname --live"), .read("get network --live", status: 1),
        .read("get system/hostname --output json"), .read("get system/nothing", status: 65),
        .write("unset system/timezone --check --yes-cut-me-off"),
        .write("unset system/hostname --id unset-1 --expect @EXPECT \(trial)"),
        .write("add time/ntp/servers a.example b.example --id add-1 --expect @EXPECT \(trial)"),
        .write("add time/ntp/servers c.example --check --yes-cut-me-off"),
        .write("add time/ntp/servers c.example --volatile"),
        .write("remove time/ntp/servers c.example --volatile"),
        .write("remove time/ntp/servers a.example --check --yes-cut-me-off"),
        .write("unset time/ntp/servers --volatile"),
        .write("remove time/ntp/servers a.example --id remove-1 --expect @EXPECT \(trial)"),
        .write("reset system --yes --yes-cut-me-off"), .write("reset time -y --id reset-1 --expect @EXPECT \(trial)"),
        .write("set system/hostname=five time/ntp/servers=[]"),
        .read("list"), .read("list system"), .read("list --only-set"), .read("list --reveal"),
        .read("list --live"), .read("list system --live --output json"), .read("list --output json-lines"),
        .read("describe"), .read("describe system/hostname"),
        .read("describe --markdown"), .read("describe --builtin system"), .read("why system/hostname"),
        .read("why system/hostname --reveal"), .read("log"), .read("log --limit 2"), .read("log --before 3"),
        .read("show"), .read("show 1"), .read("show set-1"), .read("show nothing", status: 65), .read("diff"),
        .read("diff 1"), .read("diff 1 2"),
        .read("plan system/hostname=six --expect @EXPECT -c why --id plan-1"), .read("plan --unset system/hostname"),
        .read("plan --apply @D/site.json5"), .read("plan --apply @D/site.json5 --replace"),
        .read("plan --apply @D/below.json5 --prefix system"),
        .read("plan --apply @D/site.json5 --file a.txt=@D/a.txt"), .read("plan --rollback"),
        .read("plan --rollback 1"), .read("plan --reset"), .read("plan --reset system"),
        .read("plan --volatile system/hostname=six"), .write("plan --rehearse system/hostname=six"),
        .write("rollback --check --yes-cut-me-off"), .write("rollback 1 --id rollback-1 --expect @EXPECT \(trial)"),
        .write("set system/hostname=seven --confirm 1h --id seven"), .write("extend 2h seven"),
        .write("confirm seven"), .write("set system/hostname=eight --confirm 1h --id eight"), .write("abort eight"),
        .write("try --id try-1 --expect @EXPECT -c why --confirm 1m system/hostname=nine -- true"),
        .write("try --apply @D/site.json5 -- false", status: 1),
        .write("apply @D/site.json5 --id apply-1 --expect @EXPECT \(trial)"), .write("apply @D/site.json5 --check"),
        .write("apply @D/site.json5 --replace --yes-cut-me-off"), .write("apply @D/below.json5 --prefix system"),
        .write("apply @D/site.json5 --volatile"), .write("reset --yes"),
        .write("apply @D/site.json5 --file a.txt=@D/a.txt"),
        .write("apply -", input: "{ system: { hostname: 'ten' } }"), .write("apply @D/wrong.json5", status: 65),
        .read("export"), .read("export system"), .read("export --defaults"), .read("export --reveal"),
        .read("export --format json"), .read("export --format json5"),
        .write("edit --id edit-1 \(trial)"), .write("edit system --yes-cut-me-off"),
        .write("snapshot create one -c why"), .write("set system/hostname=eleven"), .write("snapshot create two"),
        .read("snapshot list"), .read("snapshot show one"), .read("snapshot diff one"), .read("snapshot diff one two"),
        .write("snapshot restore one --check"),
        .write("snapshot restore one --files --id restore-1 --expect @EXPECT \(trial)"),
        .write("snapshot export one @D/one.snapshot"),
        .write("snapshot export one @D/secrets.snapshot --with-secrets", status: 64),
        .write("snapshot import @D/one.snapshot --name three"), .write("snapshot delete three"),
        .read("drift"), .write("reapply --all"), .write("reapply /etc/hostname --id reapply-1 \(trial)", before: edit),
        .read("init --dry-run"), .read("init --dry-run --output json"), .write("init", status: 64),
        .write(
            "init --yes --id init-1 --expect @EXPECT \(trial)",
            before: "mkdir -p $D/root/etc/sysctl.d; echo vm.swappiness=10 >$D/root/etc/sysctl.d/50-theirs.conf"),
        .write("init --yes --yes-cut-me-off"), .write("adopt --all"),
        .write("adopt /etc/hostname --id adopt-1 \(trial)", before: edit),
        .write("adopt /etc/hostname --as-is", before: edit),
        .follow("watch --count 1"), .follow("watch system --count 1"), .follow("watch --no-initial --count 1"),
        .read("events --instance @INSTANCE --after 0 --count 1 --source setting --action * --subject * --properties"),
        .read("get system/timezone --default"), .read("devices"), .read("devices --subsystem mem"), .read("links"),
        .read("power"), .read("power --all --output json"), .read("location"),
        .write("emit opened door/front --keep 1h"), .write("emit opened door/front --keep 2d", status: 65),
        .write("emit pressed door/front --property A=B"), .write("emit Pressed door/front", status: 65),
        .read("hook list"),
        .write("hook test ok --source link --action up --subject eth0 --property A=B"),
        .write("hook run ok --source link --action up --subject eth0 --property A=B --force"),
        .write("hook pause ok"),
        .write("hook resume ok"),
        .write("file mkdir documents/a"), .write("file mkdir -p documents/b/c"),
        .write("file put @D/a.txt documents/a/ --mode 0600 --id put-1"), .write("file put -r @D/tree documents/b/"),
        .read("file ls documents/a"), .read("file ls -r documents"), .read("file stat documents/a/a.txt"),
        .read("file stat --sha256 documents/a/a.txt"), .read("file cat documents/a/a.txt"),
        .write("file get documents/a/a.txt @D/back.txt"), .write("file get -r documents/b @D/back"),
        .write("file cp documents/a/a.txt documents/a/b.txt"),
        .write("file cp --no-replace documents/a/a.txt documents/a/b.txt", status: 1),
        .write("file mkdir documents/d"), .write("file mv documents/a/b.txt documents/a/c.txt"),
        .write("file mv --no-replace documents/a/c.txt documents/a/a.txt", status: 1),
        .write("file append documents/a/log", input: "one\n"),
        .write("file append documents/a/log --file @D/a.txt"), .read("file cat documents/a/log"),
        .write("file chmod 0600 documents/a/log"), .write("file chmod 4755 documents/a/log", status: 64),
        .read("file exists documents/a/log --readable --writable -v"), .read("file exists documents/none", status: 1),
        .read("file exists documents/../x", status: 65), .read("file stat documents/a/log"),
        .write("file rm documents/a/c.txt"), .write("file rm -r documents/d"), .read("file df"), .read("file uploads"),
        .write("file abort nothing", status: 65), .write("file abort nothing --user 7", status: 65),
        .read("schema export"), .read("schema export --builtin"), .desk("schema check @D/schema.json"),
        .read("schema list"), .write("schema enable services"), .read("schema list --output json"),
        .write("schema enable nothing", status: 65), .write("schema disable services"),
        .desk("schema validate @D/schema.json @D/a.json"),
        .desk("schema validate --assert-format @D/schema.json @D/a.json"),
        .desk("schema validate --stdin-lines", input: "{\"schema\": true, \"data\": 1}\n"),
        .write("status"), .write("status --counters"), .write("status --flash"), .read("status network"),
        .read("doctor"), .read("reload"),
        .read("version"), .read("version --json"),
        .desk("completions bash"),
    ]

    /// Options that all verbs have.
    private static let general: Set<String> = [
        "--host", "-H", "--port", "-P", "--ssh", "--remote-command", "--socket", "--root", "--state", "--output", "-o",
        "--help", "-h", "--version", "-v", "--verbose", "--quiet", "-q", "--color", "--timeout", "--config",
    ]

    /// The verbs, and the options of each, as the program itself lists them.
    private static func verbs(_ command: JSONObject, _ path: [String] = []) -> [(verb: [String], options: [[String]])] {
        let inner = (command["subcommands"]?.arrayValue ?? []).compactMap(\.objectValue)
            .filter { $0["commandName"] != "help" }
        guard inner.isEmpty else {
            return inner.flatMap { verbs($0, path + [$0["commandName"]?.stringValue ?? ""]) }
        }
        let options = (command["arguments"]?.arrayValue ?? []).compactMap(\.objectValue).compactMap { argument in
            argument["names"]?.arrayValue?.compactMap(\.objectValue).map { name in
                (name["kind"] == "long" ? "--" : "-") + (name["name"]?.stringValue ?? "")
            }
        }
        return [(path, options)]
    }

    @Test("The forms below are all verbs, each with all its options")
    func isWhole() async throws {
        try await Board.with { board in
            let help = try await board.cleat("--experimental-dump-help")
            let command = try #require(JSONReader.read(help.output).objectValue?["command"]?.objectValue)
            let verbs = Self.verbs(command)
            #expect(verbs.count > 40)
            for (verb, options) in verbs {
                let used = Self.forms.map { $0.words.split(separator: " ").map(String.init) }
                    .filter { Array($0.prefix(verb.count)) == verb }
                #expect(!used.isEmpty, "no form has \(verb.joined(separator: " "))")
                for names in options where !names.contains(where: Self.general.contains) {
                    #expect(
                        used.contains { words in names.contains(where: words.contains) },
                        "no form of \(verb.joined(separator: " ")) has \(names)")
                }
            }
        }
    }

    @Test("They work as on the board, and print the same")
    func all() async throws {
        try await PrivateSSH.with { ssh in
            let board = ssh.board
            let place = board.directory
            let made = try await board.script(
                """
                cd $D; mkdir -p root/usr/share/cleat; cp -R \(ReadySchemas.place) root/usr/share/cleat/schemas
                chmod -R go-w root/usr; mkdir -p tree/inner etc/probes.d; echo a >a.txt; echo b >tree/inner/b.txt; echo '{"a": 1}' >a.json
                echo '{ system: { hostname: "site" } }' >site.json5; echo '{ system: { hostname: "below" } }' >below.json5
                echo '{ system: { hostname: 7 } }' >wrong.json5; echo '{ run: ["/bin/true"] }' >etc/probes.d/ok.json5
                echo '{"type": "object", "properties": {"a": {"type": "integer"}}}' >schema.json
                """)
            try #require(made.status == 0, "\(made.errorText)")
            try board.write(hook: "ok", #"{ match: { source: "link" }, run: ["/bin/true"] }"#)
            let editor = try board.write(program: "editor", #"sed -i 's/hostname: .*/hostname: "edited",/' "$1""#)
            let agent = try await board.start()
            for form in Self.forms {
                let state = try await agent.status()
                let words = form.words.split(separator: " ").map { word in
                    String(word).replacing("@D", with: place.text).replacing("@INSTANCE", with: state.instance)
                        .replacing("@EXPECT", with: "\(state.store):\(state.generation)")
                }
                #expect(try await board.script(form.before).status == 0)
                let environment = ["EDITOR": editor, "TMPDIR": place.text]
                let changing = board.loop.task {
                    guard form.isFollowing else { return }
                    _ = try await board.loop.eventually {
                        try await agent.set(["system/hostname": .string("change-\(BootTime.now().nanoseconds)")])
                        return Task.isCancelled
                    }
                }
                defer { changing.cancel() }
                let far =
                    form.needsNoBoard
                    ? try await board.script(
                        #"exec "$CLEAT" "$@""#, words, environment: environment, input: form.input)
                    : try await ssh.cleat(
                        words, ssh: ssh.program(isShared: true), environment: environment, input: form.input)
                #expect(far.status == form.status, "\(form.words): \(far)")
                #expect(form.status != 0 || !far.errorText.contains("ssh"), "\(form.words): \(far.errorText)")
                guard form.isSame else { continue }
                let near = try await board.script(
                    #"exec "$CLEAT" "$@""#, words, environment: environment, input: form.input)
                #expect(near.status == form.status && near.output == far.output, "\(form.words): \(near) \(far)")
            }
        }
    }
}
