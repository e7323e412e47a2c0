extension TransactionsInterface {
    /// The description of the interface, in the Varlink IDL.
    package static let idl = """
        # The change that is on trial: in force, and undone unless somebody confirms it in time. There is one at most, and
        # while there is one every other change is refused. All times are in milliseconds.
        interface dev.cleat.Transactions

        # How one path changed; an absent value means that it was, or is, not set.
        type ChangeRecord (path: string, old: ?object, new: ?object)

        # What one adapter did.
        type AdapterResult (adapter: string, state: (applied, not_applied, failed), message: string)

        # A probe that confirms a change on trial: link:NAME, address:NAME-OR-ADDRESS, ping:ADDRESS, tcp:ADDRESS:PORT or
        # command:NAME. What did not hold before the change is ignored, unless nothing did. The message says what was seen.
        type ProbeReport (probe: string, state: (waiting, holds, fails, ignored), message: ?string)

        # A change on trial. Remaining is there once all is applied; failures tell what could not be undone.
        type Trial (
          id: string,
          store: string,
          generation: int,
          owner: string,
          comment: ?string,
          began: string,
          phase: (armed, applying, awaiting_confirm, reverting, revert_failed),
          window: ?int,
          remaining: ?int,
          changes: []ChangeRecord,
          omitted: ?int,
          failures: ?[]string,
          probes: ?[]ProbeReport
        )

        # By which addresses the board is reached on the interface that the caller comes to: those that it has and does not
        # keep, and the fixed ones that it has once the change is confirmed.
        type Reach (link: string, address: string, old: []string, new: []string)

        # The change on trial, if there is one, and how the board is reached where it touches the caller's interface.
        method Pending() -> (trial: ?Trial, reach: ?Reach)

        # Keeps the change on trial. To confirm twice is no error.
        method Confirm(id: string) -> (
          id: string,
          store: string,
          generation: int,
          state: (confirmed, reverted),
          results: []AdapterResult,
          reason: ?string
        )

        # Undoes the change on trial, or tries that again where it has failed. To abort twice is no error.
        method Abort(id: string) -> (
          id: string,
          store: string,
          generation: int,
          state: (confirmed, reverted),
          results: []AdapterResult,
          reason: ?string
        )

        # Waits until the change on trial has ended, whoever ends it and however, and says how; at once where it has ended
        # before. The reason says why it was undone, or what has confirmed it.
        method Wait(id: string) -> (
          id: string,
          store: string,
          generation: int,
          state: (confirmed, reverted),
          results: []AdapterResult,
          reason: ?string
        )

        # Sets how long the change on trial waits from now on: a second to a day.
        method Extend(id: string, window: int) -> (trial: Trial)

        # Another change is on trial; it must be confirmed or aborted first.
        error TransactionPending (
          id: string,
          owner: string,
          generation: int,
          phase: (armed, applying, awaiting_confirm, reverting, revert_failed),
          remaining: ?int,
          message: string
        )
        # No change is on trial.
        error NoTransaction (id: string, message: string)
        # Another change than this one is on trial.
        error UnknownTransaction (id: string, message: string)
        # The system could not be changed, and is as it was before.
        error NotApplied (id: string, generation: int, results: []AdapterResult, message: string)
        # The change could not be undone as a whole.
        error NotReverted (id: string, generation: int, results: []AdapterResult, message: string)

        """
}
