extension SystemInterface {
    /// The description of the interface, in the Varlink IDL.
    package static let idl = """
        # What the system holds against what the settings say. What somebody else has changed is never overwritten unless
        # it is asked for.
        interface dev.cleat.System

        # How one path changed; an absent value means that it was, or is, not set.
        type ChangeRecord (path: string, old: ?object, new: ?object)

        # What one adapter did.
        type AdapterResult (adapter: string, state: (applied, not_applied, failed), message: string)

        # Something that is not what the service wrote last: a file by its path, or hostname for the kernel's. The setting
        # is one that it follows; value is what the setting would be for it to be what it is.
        type Drifted (
          name: string,
          state: (changed, missing, let_go, not_applied, unreadable),
          adapter: string,
          setting: ?string,
          value: ?object,
          message: string,
          remedy: string
        )

        # A probe that confirms a change on trial: link:NAME, address:NAME-OR-ADDRESS, ping:ADDRESS, tcp:ADDRESS:PORT or
        # command:NAME. What did not hold before the change is ignored, unless nothing did. The message says what was seen.
        type ProbeReport (probe: string, state: (waiting, holds, fails, ignored), message: ?string)

        # Looks at all that the service has written. Failures tell what could not be followed at the last start.
        method Drift() -> (drift: []Drifted, failures: []AdapterResult)

        # Writes what the settings say: the named ones, or all. What fails is told, and is as it was before. With confirm (in
        # milliseconds) or until it is a change on trial, as with Settings.Set: all of it is made, or nothing; only that has
        # an id, a comment and the members from id on.
        method Reapply(
          names: ?[]string,
          id: ?string,
          comment: ?string,
          confirm: ?int,
          until: ?[]string
        ) -> (
          results: []AdapterResult,
          drift: []Drifted,
          id: ?string,
          store: ?string,
          generation: ?int,
          state: ?(confirmed, unchanged, repeated, pending, reverted, checked),
          window: ?int,
          probes: ?[]ProbeReport
        )

        # Takes over the named ones, or all: as a change of settings where they can be told as one; with as_is the others
        # are left as they are until their settings change again. Nothing is taken over where one of them cannot be.
        # Confirm, until, id and comment are as with Reapply; what is only left as it is cannot be on trial.
        method Adopt(
          names: ?[]string,
          as_is: ?bool,
          id: ?string,
          comment: ?string,
          confirm: ?int,
          until: ?[]string
        ) -> (
          store: string,
          generation: int,
          changes: []ChangeRecord,
          left: []string,
          results: []AdapterResult,
          drift: []Drifted,
          id: ?string,
          state: ?(confirmed, unchanged, repeated, pending, reverted, checked),
          window: ?int,
          probes: ?[]ProbeReport
        )

        """
}
