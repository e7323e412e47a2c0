extension EventsInterface {
    /// The description of the interface, in the Varlink IDL.
    package static let idl = """
        # Events, devices and links of one board.
        interface dev.cleat.Events

        # What happened. The sequence starts at 1 with each start of the service.
        type Event (
          sequence: int,
          source: (device, link, power, file, setting, agent),
          action: string,
          subject: string,
          properties: [string]string,
          time: string,
          boot_id: string,
          boot_time: int,
          synchronised: bool,
          cause: ?string,
          restored: bool
        )

        type Device (
          devpath: string,
          subsystem: string,
          devtype: ?string,
          name: string,
          node: ?string,
          driver: ?string,
          properties: [string]string
        )

        type Link (
          index: int,
          name: string,
          kind: ?string,
          type: string,
          address: ?string,
          state: string,
          carrier: bool,
          up: bool,
          mtu: int,
          addresses: []string
        )

        # Only with `more`. The first reply tells the instance and holds no event: from then on nothing is missed. Naming an
        # instance and a sequence number goes on after it; another instance gets the current state first (action "present").
        method Subscribe(sources: ?[]string, action: ?string, subject: ?string, instance: ?string, after: ?int) -> (
          instance: string,
          event: ?Event,
          lost: ?int
        )

        # The devices, in order of their devpaths' bytes. With `more`, page after page; without, one page and where it goes on.
        method Devices(subsystem: ?string, after: ?string) -> (devices: []Device, next: ?string)

        # The network links, in order of their indices.
        method Links() -> (links: []Link)

        # The client read too slowly and is disconnected.
        error TooSlow (lost: int, message: string)

        # The method answers more than once and must be called with `more`.
        error NotStreaming (message: string)

        """
}
