extension HooksInterface {
    /// The description of the interface, in the Varlink IDL.
    package static let idl = """
        # Hooks: rules that run a program on an event.
        interface dev.cleat.Hooks

        # Globs, all of which must match.
        type Match (source: ?string, action: ?string, subject: ?string, properties: [string]string)

        # One run of a hook; the duration is in milliseconds.
        type HookRun (
          time: string,
          event: string,
          duration: int,
          status: (exited, signalled, timed_out, refused),
          code: int,
          output: string,
          output_bytes: int
        )

        # One pattern of a hook, and whether an event passes it.
        type Clause (name: string, pattern: string, value: ?string, matches: bool)

        # Where a hook may write, whether that is a condition, and whether the kernel sees to it.
        type Sandbox (write_paths: []string, required: bool, enforced: bool)

        # A hook and how it has fared since the service started; the timeout is in milliseconds.
        type Hook (
          name: string,
          file: string,
          match: Match,
          run: []string,
          timeout: int,
          runs: int,
          failures: int,
          suppressed: int,
          last: ?HookRun,
          sandbox: ?Sandbox
        )

        # Why a hook file is not in force.
        type HookProblem (file: string, line: ?int, column: ?int, message: string)

        method List() -> (hooks: []Hook, problems: []HookProblem)

        # Says whether the hook would run on a made-up event, and what would run: the command, and its environment. What keeps
        # it from running is in refused: a program that others may write to, a place that is not there.
        method Test(name: string, source: ?string, action: ?string, subject: ?string, properties: ?[string]string) -> (
          matches: bool,
          event: string,
          clauses: []Clause,
          command: []string,
          environment: [string]string,
          refused: ?string
        )

        # Runs the hook now on a made-up event, where it matches or with force, and says what it did. Only for root and the
        # service's own user.
        method Run(
          name: string,
          source: ?string,
          action: ?string,
          subject: ?string,
          properties: ?[string]string,
          force: ?bool
        ) -> (matches: bool, event: string, clauses: []Clause, run: ?HookRun)

        error UnknownHook (name: string, message: string)

        """
}
