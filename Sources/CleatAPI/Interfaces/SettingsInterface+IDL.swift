extension SettingsInterface {
    /// The description of the interface, in the Varlink IDL.
    package static let idl = """
        # Typed settings of one board.
        interface dev.cleat.Settings

        # What a path holds. A mere default is not in force: nobody has set the path, and the system is left alone.
        type Setting (
          path: string,
          value: ?object,
          origin: (schema_default, committed),
          in_force: bool,
          inactive: ?string
        )

        # A change of one path. Without a value, or with null, the path is unset.
        type Change (path: string, value: ?object)

        # The state that a change was made for; another state is a conflict.
        type Expect (store: string, generation: int)

        # Why one path of a change set was refused.
        type Problem (path: string, value: ?object, code: string, reason: string)

        # What one adapter did with a change.
        type AdapterResult (adapter: string, state: (applied, not_applied, failed), message: string)

        # What a path may hold.
        type Description (
          path: string,
          types: []string,
          title: ?string,
          description: ?string,
          default: ?object,
          constraints: object
        )

        # How one path changed; an absent value means that it was, or is, not set.
        type ChangeRecord (path: string, old: ?object, new: ?object)

        # One generation of the history. Order comes from the number, never from the clock. Here as in other replies, omitted
        # is how many more changes there are than a message has room for.
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
          omitted: ?int
        )

        # One path: a leaf's value, or the object of all that stands under it, defaults included.
        method Get(path: string) -> (store: string, generation: int, leaf: bool, setting: Setting)

        # Leaves under a prefix, in order of their paths' bytes. With `more`, page after page; without, one page and where it
        # goes on.
        method List(prefix: ?string, defaults: ?bool, after: ?string) -> (
          store: string,
          generation: int,
          settings: []Setting,
          next: ?string
        )

        # What the paths under a prefix may hold.
        method Describe(prefix: ?string) -> (descriptions: []Description)

        # Commits changes, all or none. At most 4,096 of them; the id is 1 to 64 bytes of A-Z a-z 0-9 . _ : - and makes a retry
        # safe; the comment is at most 1,024 bytes.
        method Set(changes: []Change, id: ?string, expect: ?Expect, comment: ?string) -> (
          id: string,
          store: string,
          generation: int,
          state: (confirmed, unchanged, repeated),
          changes: []ChangeRecord,
          results: []AdapterResult,
          omitted: ?int
        )

        # Only with `more`: the first replies hold the current settings (initial is true), then there is one reply a commit.
        method Watch(prefixes: []string) -> (
          store: string,
          generation: int,
          initial: bool,
          settings: []Setting,
          removed: []string,
          lost: ?int
        )

        # Generations, the newest first.
        method Log(before: ?int, limit: ?int) -> (store: string, generations: []Generation, next: ?int)

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
        error TooManyChanges (limit: int, message: string)
        error Conflict (store: string, generation: int, message: string)
        error IdReused (id: string, generation: int, message: string)
        error UnknownGeneration (generation: int, message: string)
        error StoreFailed (code: string, message: string)

        """
}
