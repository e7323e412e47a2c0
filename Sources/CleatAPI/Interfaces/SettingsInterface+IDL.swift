extension SettingsInterface {
    /// The description of the interface, in the Varlink IDL.
    package static let idl = """
        # Typed settings of one board.
        interface dev.cleat.Settings

        # What a path holds. A mere default is not in force: nobody has set the path, and the system is left alone. Pending
        # is the id of the change on trial that the value is from.
        type Setting (
          path: string,
          value: ?object,
          with_defaults: ?object,
          origin: (schema_default, vendor, factory, committed, volatile),
          in_force: bool,
          inactive: ?string,
          secret: ?bool,
          lock: ?(schema_default, vendor, factory, committed, volatile),
          pending: ?string
        )

        # A change of one path. Without a value, or with null, the path is unset. To add to a list and to remove from it are
        # done on what it holds then; adding what is there and removing what is not change nothing.
        type Change (path: string, value: ?object, operation: ?(set, add, remove))

        # What one layer holds at a path, and where it has that from.
        type Layer (
          layer: (schema_default, vendor, factory, committed, volatile),
          value: ?object,
          in_force: bool,
          ignored: ?string,
          file: ?string,
          generation: ?int,
          author: ?string,
          time: ?string,
          comment: ?string
        )

        # What pins a path, and all below it, to a layer: what higher layers hold does not count there.
        type Lock (
          path: string,
          layer: (schema_default, vendor, factory, committed, volatile),
          file: string,
          reason: ?string
        )

        # Something that is not as it should be, though the service does its work. The subject is a path or a file.
        type Finding (
          kind: (
            refused_value,
            unknown_setting,
            unreadable_setting,
            renamed,
            locked,
            refused_file,
            refused_default,
            deprecated,
            configuration,
            hook,
            store,
            not_followed,
            drift
          ),
          subject: string,
          message: string,
          remedy: string,
          line: ?int,
          column: ?int
        )

        # The state that a change was made for; another state is a conflict.
        type Expect (store: string, generation: int)

        # Why one path of a change set was refused.
        type Problem (path: string, value: ?object, code: string, reason: string)

        # What one adapter did with a change.
        type AdapterResult (adapter: string, state: (applied, not_applied, failed), message: string)

        # What a change would do to one thing of the system. The kind is file, link, line (of a file), attribute (of the
        # kernel) or host-name; more may come. Before and after are words in one line, the diff is of a file's content. What
        # is made of secrets, and what not everybody may read, is left out, and the note says so.
        type PlannedStep (
          adapter: string,
          kind: string,
          resource: string,
          action: (create, change, remove, unchanged, skipped),
          before: ?string,
          after: ?string,
          diff: ?string,
          note: ?string
        )

        # What would be done once the system has changed. Without a program it would not be done, and the note says why; of a
        # reboot it says why that is needed.
        type PlannedAction (
          adapter: string,
          kind: (command, service, reboot),
          title: string,
          service: ?string,
          program: ?string,
          note: ?string
        )

        # By which addresses the board is reached on the interface that the caller comes to: those that it has and does not
        # keep, and the fixed ones that it has afterwards.
        type Reach (link: string, address: string, old: []string, new: []string)

        # What a change would do: to the system, in order, what is done then, which network interfaces are touched, and
        # whether the connection that the caller comes by would stay. Reach is there where its interface is touched.
        type Plan (
          steps: []PlannedStep,
          actions: []PlannedAction,
          links: []string,
          connection: (kept, cut, unknown),
          reason: string,
          notes: []string,
          omitted: ?int,
          reach: ?Reach
        )

        # Whether one thing of the system is, after a rehearsal, what it was before.
        type RehearsedStep (
          adapter: string,
          kind: string,
          resource: string,
          state: (restored, differs, skipped),
          message: string
        )

        # What a path may hold.
        type Description (
          path: string,
          types: []string,
          title: ?string,
          description: ?string,
          default: ?object,
          constraints: object
        )

        # What a group of settings, or a map of them, is called and is for.
        type Group (path: string, title: ?string, description: ?string)

        # How one path changed; an absent value means that it was, or is, not set. Where a change is made it is told as well
        # what is in force at the path from then on, if that is what another layer has.
        type ChangeRecord (path: string, old: ?object, new: ?object, in_force: ?Setting, before: ?Setting)

        # A probe that confirms a change on trial: link:NAME, address:NAME-OR-ADDRESS, ping:ADDRESS, tcp:ADDRESS:PORT or
        # command:NAME. What did not hold before the change is ignored, unless nothing did. The message says what was seen.
        type ProbeReport (probe: string, state: (waiting, holds, fails, ignored), message: ?string)

        # One generation of the history. Order comes from the number, never from the clock. Here as in other replies, omitted
        # is how many more changes there are than a message has room for. Without a state it was confirmed; restored is one
        # that came from the second copy of the store. Results say what adapters did with it, where the system followed.
        type Generation (
          number: int,
          id: string,
          time: string,
          boot_id: string,
          boot_time: int,
          synchronised: bool,
          author: string,
          comment: ?string,
          changes: []ChangeRecord,
          omitted: ?int,
          state: ?(pending, reverted, restored),
          results: ?[]AdapterResult
        )

        # One path: a leaf's value, or the object of all that stands under it. A default is told where it holds; where nobody
        # has set what the system follows, the system decides, and there is no value: default asks for the schema's default,
        # whatever is set. Secrets are left out, unless root or the service's own user asks to have them revealed. The note
        # says where an entry of a map is not there, and which one may be meant.
        method Get(path: string, reveal: ?bool, default: ?bool) -> (
          store: string,
          generation: int,
          leaf: bool,
          setting: Setting,
          note: ?string
        )

        # Leaves under a prefix, in order of their paths' bytes. With `more`, page after page; without, one page and where it
        # goes on.
        method List(prefix: ?string, defaults: ?bool, after: ?string, reveal: ?bool) -> (
          store: string,
          generation: int,
          settings: []Setting,
          next: ?string,
          note: ?string
        )

        # What the paths under a prefix may hold, and what the groups are called that a schema has words about.
        method Describe(prefix: ?string) -> (descriptions: []Description, groups: ?[]Group)

        # Commits changes, all or none. At most 4,096 of them; the id is 1 to 64 bytes of A-Z a-z 0-9 . _ : - and makes a retry
        # safe; the comment is at most 1,024 bytes. Volatile changes last until the next boot and make no generation. With
        # check, all is done but the change itself. With confirm the change is on trial: it is undone unless it is confirmed
        # by its id (dev.cleat.Transactions) within so many milliseconds, a second to a day, from the moment that it is
        # applied. With until, at most 16 probes, it is confirmed by itself when all of them hold twice in succession; without
        # confirm they have two minutes. With plan, all is done but the change itself, and the answer says what it would do.
        # With rehearse the change is made and undone at once: the state is reverted then, two generations tell of it, and
        # the answer says whether each thing that was touched is what it was.
        method Set(
          changes: []Change,
          id: ?string,
          expect: ?Expect,
          comment: ?string,
          volatile: ?bool,
          check: ?bool,
          confirm: ?int,
          plan: ?bool,
          rehearse: ?bool,
          until: ?[]string,
          uploads: ?[]string
        ) -> (
          id: string,
          store: string,
          generation: int,
          state: (confirmed, unchanged, repeated, pending, reverted, checked),
          changes: []ChangeRecord,
          results: []AdapterResult,
          omitted: ?int,
          volatile: ?bool,
          window: ?int,
          plan: ?Plan,
          rehearsal: ?[]RehearsedStep,
          probes: ?[]ProbeReport,
          overtaken: ?string
        )

        # Takes all that was committed or is volatile under a prefix away, so that factory data and defaults hold again: one
        # transaction. Plan and rehearse are as with Set.
        method Reset(
          prefix: ?string,
          id: ?string,
          expect: ?Expect,
          comment: ?string,
          confirm: ?int,
          plan: ?bool,
          rehearse: ?bool,
          until: ?[]string
        ) -> (
          id: string,
          store: string,
          generation: int,
          state: (confirmed, unchanged, repeated, pending, reverted, checked),
          changes: []ChangeRecord,
          results: []AdapterResult,
          omitted: ?int,
          volatile: ?bool,
          window: ?int,
          plan: ?Plan,
          rehearsal: ?[]RehearsedStep,
          probes: ?[]ProbeReport,
          overtaken: ?string
        )

        # Makes the committed settings those of an earlier generation again, as a new one: without `to`, of the one before
        # the newest change that is in force. With check, all is done but the change itself. Plan and rehearse are as with Set.
        method Rollback(
          to: ?int,
          id: ?string,
          expect: ?Expect,
          comment: ?string,
          check: ?bool,
          confirm: ?int,
          plan: ?bool,
          rehearse: ?bool,
          until: ?[]string
        ) -> (
          id: string,
          store: string,
          generation: int,
          state: (confirmed, unchanged, repeated, pending, reverted, checked),
          changes: []ChangeRecord,
          results: []AdapterResult,
          omitted: ?int,
          volatile: ?bool,
          window: ?int,
          plan: ?Plan,
          rehearsal: ?[]RehearsedStep,
          probes: ?[]ProbeReport,
          overtaken: ?string
        )

        # Where a setting's value comes from: each layer that has one, the highest first, and what unset would give.
        method Why(path: string, reveal: ?bool) -> (
          store: string,
          generation: int,
          setting: Setting,
          layers: []Layer,
          lock: ?Lock,
          unset: ?Layer
        )

        # All of the schema as the text of one JSON Schema, in pieces. With `more`, all of them.
        method Schema(offset: ?int) -> (text: string, next: ?int, digest: string)

        # What is not as it should be.
        method Doctor() -> (findings: []Finding, omitted: ?int)

        # Only with `more`: the first replies hold the current settings (initial is true), then there is one reply a commit.
        method Watch(prefixes: []string) -> (
          store: string,
          generation: int,
          initial: bool,
          settings: []Setting,
          removed: []string,
          lost: ?int
        )

        # Generations, the newest first; with an id only the one that this change became, or none.
        method Log(before: ?int, limit: ?int, id: ?string) -> (store: string, generations: []Generation, next: ?int)

        # What differs between two generations; without arguments, what the last one changed.
        method Diff(from: ?int, to: ?int) -> (
          store: string,
          from: int,
          to: int,
          changes: []ChangeRecord,
          omitted: ?int
        )

        error InvalidPath (path: string, message: string)
        error UnknownSetting (path: string, message: string)
        error InvalidValue (problems: []Problem)
        error SettingLocked (problems: []Problem)
        error TooManyChanges (limit: int, message: string)
        error Conflict (store: string, generation: int, message: string)
        error IdReused (id: string, generation: int, message: string)
        error UnknownGeneration (generation: int, message: string)
        error StoreFailed (code: string, message: string)

        """
}
