internal import CleatIO
internal import CleatSandbox
internal import CleatSettings
internal import SystemPackage

extension ActionRunner {
    /// The longest wait until the kernel shows the configuration that a service was given.
    ///
    /// Duplicate address detection of IPv6 takes two seconds, and routes are added after it.
    private static let patience: Duration = .seconds(10)
    /// The longest wait for a carrier: some drivers lose it for seconds when the MTU changes.
    private static let carrierPatience: Duration = .seconds(4)
    /// The longest wait for the first lease of a service that asks for one by itself.
    private static let leasePatience: Duration = .seconds(3)
    /// The time without rtnetlink messages on links, addresses and routes after which a service counts as done.
    ///
    /// It applies to a service that configures its interfaces after its program has returned.
    private static let quiet: Duration = .milliseconds(500)
    /// The multicast groups `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR`, `RTMGRP_IPV4_ROUTE`, `RTMGRP_IPV6_IFADDR` and
    /// `RTMGRP_IPV6_ROUTE`.
    private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

    /// Runs an action on an interface.
    func run(_ action: InterfaceAction) async -> ActionResult {
        let begin = BootTime.now()
        let outcome: ActionResult.Outcome
        if system.isRunning {
            do {
                outcome = try await self.outcome(of: action)
            } catch {
                outcome = .failed("Could not \(action.title): \(error).")
            }
        } else {
            outcome = .skipped(Self.elsewhere)
        }
        return ActionResult(title: action.title, outcome: outcome, duration: BootTime.now().duration(since: begin))
    }

    private func outcome(of action: InterfaceAction) async throws -> ActionResult.Outcome {
        let name = action.name
        switch action.kind {
        case .takeDown(let commands):
            guard try await look({ try $0.interface(name) }) != nil else {
                return .skipped(InterfaceResource.absence)
            }
            for (index, command) in commands.enumerated() {
                let result = await run(command)
                if result.isSuccess { break }
                if index == commands.count - 1 { return result.outcome }
            }
            try await look { try InterfaceResource(name: name).removeAddresses(on: $0) }
            return .done
        case .giveBack(let snapshot, let leased):
            guard try await look({ try $0.interface(name) }) != nil else {
                return .skipped(InterfaceResource.absence)
            }
            guard let snapshot else {
                return .failed("Could not \(action.title): its former state is unknown; set it, or reboot.")
            }
            // A DHCP server that finds the address in use would not lease it again.
            let written = try await restore(leased == nil ? snapshot : snapshot.withoutLeases, to: name)
            if case .skipped(let reason) = written { return .skipped(reason) }
            guard let leased else { return .done }
            let result = await run(leased)
            // Without a lease, the former address is restored, so that the board stays reachable until that lease
            // expires.
            if !result.isSuccess { _ = try await restore(snapshot, to: name) }
            return result.outcome
        case .reconfigure(let goal): return try await reconfigure(goal)
        case .join(let commands): return await join(name, commands)
        case .lease(let command): return try await lease(name, command)
        case .endLease(let addresses):
            guard try await look({ _ in ProcessNames.kill(DHCPClient.program, with: DHCPClient.words(for: name)) })
            else {
                return .failed("Could not end the DHCP client of \(name); end \(DHCPClient.program) yourself.")
            }
            guard let addresses else { return .done }
            try await look { try InterfaceResource(name: name).removeDefaults(notReachedBy: addresses, on: $0) }
            return .done
        case .change(let link):
            return try await look { system in
                let control = InterfaceControl(kernel: system.kernel, name: name, stage: .apply)
                guard let present = try control.virtualLink().link else { return .skipped("it is made as it is set") }
                try control.bring(to: VirtualLink(link.kind, of: present.members))
                return .done
            }
        case .check(let interface): return try await check(interface)
        }
    }

    /// Starts the DHCP client, and waits for its first lease.
    private func lease(_ name: String, _ command: ActionCommand) async throws -> ActionResult.Outcome {
        guard let present = try await look({ try $0.interface(name) }) else {
            return .waiting(InterfaceResource.absence)
        }
        let (own, all) = (DHCPClient.words(for: name), DHCPClient.others(of: name))
        let isRunning = try await look { _ in ProcessNames.contains(DHCPClient.program, with: own) }
        if isRunning, present.hasIPv4 { return .done }
        // One without a lease may be of an interface of this name that is gone.
        if isRunning { _ = try await look { _ in ProcessNames.kill(DHCPClient.program, with: own) } }
        guard try await look({ _ in !ProcessNames.contains(DHCPClient.program, with: all) }) else {
            return .failed(
                "Another \(DHCPClient.program) runs for \(name); end it where it was started, and try again.")
        }
        let outcome = await run(command).outcome
        guard outcome == .done, try await look({ try $0.interface(name)?.hasIPv4 }) == false else { return outcome }
        return .waiting("no DHCP server has answered \(name); its client goes on asking")
    }

    /// Joins the first network that is in range.
    private func join(_ name: String, _ commands: [ActionCommand]) async -> ActionResult.Outcome {
        var reason = "no network is set"
        for command in commands {
            let outcome = await run(command).outcome
            guard case .skipped(let words) = outcome else { return outcome }
            reason = words
            if Self.has(InterfaceAction.joiningMark, in: Array(words.utf8)) {
                // It is associated, and lacks addresses; the check of the interface reports that.
                let isJoined = (try? await look { InterfaceResource(name: name).hasCarrier(on: $0) }) == true
                return isJoined ? .done : .waiting(reason)
            }
        }
        return .waiting(reason)
    }

    private func restore(
        _ snapshot: InterfaceSnapshot, to name: String
    ) async throws -> SystemResources.Outcome {
        try await look { try InterfaceResource(name: name).restore(.interface(snapshot), on: $0) }
    }

    /// Waits until the kernel shows the settings of an interface; each rtnetlink message triggers another check.
    private func check(_ interface: ConfiguredInterface) async throws -> ActionResult.Outcome {
        let (name, service) = (interface.name, interface.service)
        guard interface.isUsed(on: system) else { return .waiting("\(service) is not running") }
        // Opened before the first check, so that no later change is missed.
        let socket = try NetlinkSocket(
            .route, groups: Self.groups, receiveBuffer: 1 << 20, capacity: 1 << 16, loop: loop)
        defer { socket.close() }
        let begin = BootTime.now()
        var leaseBegin: BootTime?
        while true {
            try Task.checkCancellation()
            guard let (missing, isAsSet) = try await look({ try interface.missing(on: $0) }) else {
                return .waiting(InterfaceResource.absence)
            }
            if missing.isEmpty, !interface.isTakenUpLater { return .done }
            let passed = BootTime.now().duration(since: begin)
            // Without a carrier the interface gets no addresses, but it is switched on and has its MTU.
            var hasCarrier = true
            if interface.isTakenUpLater, isAsSet {
                hasCarrier = try await look { InterfaceResource(name: name).hasCarrier(on: $0) }
            }
            // A service that works asynchronously may still remove and recreate the present addresses and routes.
            if missing.isEmpty {
                if passed < Self.patience, try await hears(socket, within: Self.quiet) { continue }
                guard try await look({ try interface.lacksLease(on: $0) }) else { return .done }
                let now = BootTime.now()
                leaseBegin = leaseBegin ?? now
                let left = Self.leasePatience - now.duration(since: leaseBegin ?? now)
                guard left > .zero else {
                    return .waiting("no DHCP server has answered \(name) yet; \(service) goes on asking")
                }
                _ = try await hears(socket, within: left)
                continue
            }
            let left = (hasCarrier ? Self.patience : Self.carrierPatience) - passed
            guard left > .zero else {
                return hasCarrier
                    ? .failed(
                        "\(service) was notified, but after \(Self.patience) \(name) \(missing.joined(separator: ", ")); see "
                            + "the log of \(service).")
                    : .waiting("\(name) has no carrier; \(service) configures it when it has one")
            }
            _ = try await hears(socket, within: left)
        }
    }

    /// Waits for rtnetlink messages and discards them.
    ///
    /// Neither their content nor lost messages matter, since the caller queries the kernel again.
    ///
    /// - Returns: false if no message arrived in time.
    private func hears(_ socket: NetlinkSocket, within limit: Duration) async throws -> Bool {
        do {
            try await loop.withDeadline(limit) { try await socket.readable() }
        } catch is DeadlineExceeded {
            return false
        }
        while true {
            switch try socket.receive() {
            case .nothing: return true
            case .message, .overrun: continue
            }
        }
    }
}
