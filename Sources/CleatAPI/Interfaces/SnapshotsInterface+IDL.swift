extension SnapshotsInterface {
    /// The description of the interface, in the Varlink IDL.
    package static let idl = """
        # Snapshots: the settings of a generation, and what the system's files and values were that follow them. A snapshot
        # stays until it is deleted, however long the history grows.
        interface dev.cleat.Snapshots

        # The state that a change was made for.
        type Expect (store: string, generation: int)

        # How one path changed; an absent value means that it was, or is, not set.
        type ChangeRecord (path: string, old: ?object, new: ?object)

        # What one adapter did.
        type AdapterResult (adapter: string, state: (applied, not_applied, failed), message: string)

        # One snapshot. Bytes are those of all that it holds; own_bytes of that which no other one holds. Damage says what
        # cannot be read of it.
        type Snapshot (
          name: string,
          store: string,
          generation: int,
          time: string,
          synchronised: bool,
          author: string,
          imported_by: ?string,
          comment: ?string,
          settings: int,
          resources: int,
          bytes: int,
          own_bytes: int,
          damage: ?string
        )

        # A setting of a snapshot. The value of a secret is left out.
        type SnapshotSetting (path: string, value: ?object)

        # A resource of a snapshot, such as file:/etc/hostname. The hash is absent where it may hold a
        # secret, or an export has left it out.
        type SnapshotResource (
          resource: string,
          adapter: string,
          size: int,
          sha256: ?string,
          secret: bool,
          mode: ?string,
          owner: ?string,
          differs: ?bool
        )

        # A resource that is not the same in two states.
        type ResourceDifference (resource: string, kind: (changed, added, removed, unknown))

        # A probe that confirms a change on trial, and what was last seen of it.
        type ProbeReport (probe: string, state: (waiting, holds, fails, ignored), message: ?string)

        # What became of a change, as dev.cleat.Settings.Set has it.
        type Change (
          id: string,
          store: string,
          generation: int,
          state: (confirmed, unchanged, repeated, pending, reverted, checked),
          changes: []ChangeRecord,
          results: []AdapterResult,
          omitted: ?int,
          volatile: ?bool,
          window: ?int,
          probes: ?[]ProbeReport,
          overtaken: ?string
        )

        # Makes a snapshot of the confirmed settings, and of what the system is. The name has 1 to 64 bytes.
        method Create(name: string, comment: ?string) -> (snapshot: Snapshot)

        # The snapshots in the order in which they were made, and the bounds.
        method List() -> (snapshots: []Snapshot, bytes: int, limit: int, limit_bytes: int)

        # What a snapshot holds, settings first, page by page: ask again with the offset that next says. The first page
        # is given when all of it was read and compared with its hashes.
        method Show(name: string, offset: ?int) -> (
          snapshot: Snapshot,
          settings: []SnapshotSetting,
          resources: []SnapshotResource,
          next: ?int
        )

        # What differs between a snapshot and another one, or what is now.
        method Diff(name: string, other: ?string) -> (
          changes: []ChangeRecord,
          omitted: ?int,
          resources: []ResourceDifference
        )

        # Makes the committed settings those of a snapshot, by the schema and the locks of today, and the system follow
        # them. Differing names what is not what it was then; with files that is brought back as well, and with files and
        # check it is described. The files of a snapshot that was imported are brought back for root and the service's own
        # user.
        method Restore(
          name: string,
          files: ?bool,
          id: ?string,
          expect: ?Expect,
          comment: ?string,
          check: ?bool,
          confirm: ?int,
          until: ?[]string
        ) -> (change: Change, differing: []string, kept: ?int, files: ?[]SnapshotResource)

        # Takes a snapshot away, and what no other one holds of it.
        method Delete(name: string) -> (freed: int)

        # A snapshot as a file, without secrets; must be called with more. For root and the service's own user.
        method Export(name: string) -> (text: string, omitted: ?[]string)

        # Takes in an exported snapshot, which lies in an area of files. For root and the service's own user.
        method Import(area: string, path: string, name: ?string) -> (snapshot: Snapshot)

        # There is no snapshot of this name.
        error UnknownSnapshot (name: string, message: string)
        # There is one of this name already.
        error SnapshotExists (name: string, message: string)
        # That cannot be the name of a snapshot.
        error InvalidName (name: string, message: string)
        # There are as many, or as many bytes of them, as there may be.
        error LimitReached (name: string, message: string)
        # An object of a snapshot is damaged; the name is its hash.
        error DamagedObject (name: string, message: string)
        # A file is no exported snapshot, or is damaged; the name says where.
        error InvalidExport (name: string, message: string)
        # The request cannot be served.
        error Refused (name: string, message: string)

        """
}
