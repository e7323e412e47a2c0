extension ServiceInterface {
    /// The description of the interface, in the Varlink IDL.
    package static let idl = """
        # The service itself.
        interface dev.cleat.Service

        type Counter (name: string, value: int)

        # The change on trial; what remains of its time is in milliseconds, failures tell what could not be undone.
        type TrialSummary (
          id: string,
          owner: string,
          generation: int,
          phase: (armed, applying, awaiting_confirm, reverting, revert_failed),
          remaining: ?int,
          failures: ?[]string
        )

        # The uptime is in milliseconds, memory in bytes. The kernel's version of Landlock is 0 where it has none.
        method Status() -> (
          version: string,
          instance: string,
          pid: int,
          uid: int,
          started: string,
          uptime: int,
          store: string,
          generation: int,
          state_directory: string,
          root: ?string,
          settings: int,
          inactive: []string,
          device_source: string,
          connections: int,
          memory_private: ?int,
          memory_pss: ?int,
          threads: int,
          hooks: int,
          hook_problems: int,
          config_problem: ?string,
          store_notes: []string,
          applying: bool,
          counters: []Counter,
          landlock_abi: ?int,
          inbox: ?string,
          inbox_problem: ?string,
          file_problems: ?[]string,
          findings: ?int,
          trial: ?TrialSummary,
          probes: ?[]string,
          probe_problems: ?[]string
        )

        # Any interface may answer with these.
        error PermissionDenied (message: string)
        error TooManyConnections (limit: int)

        """
}
