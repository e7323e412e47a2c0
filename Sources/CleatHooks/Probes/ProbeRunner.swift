package import CleatAPI
package import CleatIO
package import CleatObservers
internal import CleatSettings
internal import Synchronization
internal import SystemPackage

/// Checks probes without blocking the loop.
package final class ProbeRunner: Sendable {
    /// Returns the known links of the network namespace; nil if they have not been read yet.
    package typealias Links = @Sendable () async -> LinkTable?

    private struct State {
        var set: ProbeSet
        var links: Links?
    }

    /// The time limit for one check of an address or port over the network.
    package static let timeLimit = Duration.seconds(5)
    /// The largest number of bytes of a command's output that are kept.
    private static let outputBytes = 4_096
    /// The largest number of characters of a command's last line that are shown.
    private static let shownCharacters = 200

    private let loop: EventLoop
    private let policy: TrustPolicy
    private let socket: String
    private let state: Mutex<State>

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - loop: the loop on which all checks run.
    ///   - probes: the commands of `probes.d`.
    ///   - socket: the path of the service's socket, which commands receive as `CLEAT_SOCKET`.
    ///   - policy: the policy that decides which programs may be run.
    package init(loop: EventLoop, probes: ProbeSet, socket: String, policy: TrustPolicy = .current()) {
        self.loop = loop
        self.policy = policy
        self.socket = socket
        state = Mutex(State(set: probes))
    }

    /// Sets the source of links and addresses for the checks from now on.
    package func follow(_ links: @escaping Links) {
        state.withLock { $0.links = links }
    }

    /// Replaces the commands in force.
    package func reload(_ probes: ProbeSet) {
        state.withLock { $0.set = probes }
    }

    /// The commands in force, and the problems of the other files.
    package var probes: ProbeSet { state.withLock { $0.set } }

    /// Checks several probes at the same time; the results are in the order of the probes.
    package func look(at probes: [Probe]) async -> [ProbeOutcome] {
        await withTaskGroup(of: (Int, ProbeOutcome).self) { group in
            for (index, probe) in probes.enumerated() {
                group.addTask(executorPreference: loop) { (index, await self.look(at: probe)) }
            }
            var outcomes = [ProbeOutcome](repeating: ProbeOutcome(holds: false, "not checked"), count: probes.count)
            for await (index, outcome) in group { outcomes[index] = outcome }
            return outcomes
        }
    }

    /// Checks whether a probe holds now.
    package func look(at probe: Probe) async -> ProbeOutcome {
        switch probe.target {
        case .link(let name): return await look { Self.link(name, in: $0) }
        case .addressOn(let name): return await look { Self.addresses(of: name, in: $0) }
        case .address(let address): return await look { Self.address(address, in: $0) }
        case .ping(let address, let zone):
            return await reach("answered") { () async throws(ReachError) in
                try await NetworkProbe(loop: self.loop).ping(
                    address.bytes, zone: zone, within: Self.timeLimit)
            }
        case .tcp(let address, let zone, let port):
            return await reach("accepted a connection") { () async throws(ReachError) in
                try await NetworkProbe(loop: self.loop).connect(
                    address.bytes, zone: zone, port: port, within: Self.timeLimit)
            }
        case .command(let name): return await run(name)
        }
    }

    // MARK: Links and addresses

    private func look(_ check: (LinkTable) -> ProbeOutcome) async -> ProbeOutcome {
        guard let links = state.withLock({ $0.links }), let table = await links() else {
            return ProbeOutcome(holds: false, "the links have not been read yet")
        }
        return check(table)
    }

    private static func link(_ name: String, in table: LinkTable) -> ProbeOutcome {
        guard let link = table.links.values.first(where: { $0.name == name }) else {
            return ProbeOutcome(holds: false, "there is no such link", isImpossible: true)
        }
        guard link.flags.contains(.up) else { return ProbeOutcome(holds: false, "it is switched off") }
        guard link.isUsable, link.carrier else {
            return ProbeOutcome(holds: false, link.carrier ? "it is \(link.state.name)" : "it has no carrier")
        }
        return ProbeOutcome(holds: true, "it is up")
    }

    private static func addresses(of name: String, in table: LinkTable) -> ProbeOutcome {
        guard let link = table.links.values.first(where: { $0.name == name }) else {
            return ProbeOutcome(holds: false, "there is no such link", isImpossible: true)
        }
        // A link-local address says nothing about the network, since every IPv6 link gives itself one.
        let found = table.addresses(of: link.index).filter { $0.scopeName != "link" }
        guard let usable = found.first(where: \.isUsable) else {
            return ProbeOutcome(
                holds: false, found.isEmpty ? "it has no address" : "none of its addresses can be used yet")
        }
        return ProbeOutcome(holds: true, "it has \(usable.text)")
    }

    private static func address(_ address: InternetAddress, in table: LinkTable) -> ProbeOutcome {
        let bytes = address.bytes
        let found = table.addresses.values.filter { $0.bytes == bytes }
        guard let usable = found.first(where: \.isUsable) else {
            return ProbeOutcome(holds: false, found.isEmpty ? "no link has it" : "it cannot be used yet")
        }
        return ProbeOutcome(holds: true, "\(table.links[usable.index]?.name ?? "a link") has it")
    }

    // MARK: The network

    private func reach(_ word: String, _ body: () async throws(ReachError) -> Void) async -> ProbeOutcome {
        do throws(ReachError) {
            try await body()
            return ProbeOutcome(holds: true, "it \(word)")
        } catch {
            var isImpossible = false
            if case .notAllowed = error { isImpossible = true }
            return ProbeOutcome(holds: false, error.description, isImpossible: isImpossible)
        }
    }

    // MARK: Commands

    private func run(_ name: String) async -> ProbeOutcome {
        guard let command = probes.commands[name] else {
            return ProbeOutcome(holds: false, "no file in probes.d is called \(name).json5, or it is not in force")
        }
        let trusted: TrustedFile
        do throws(TrustError) {
            trusted = try policy.open(command.program, for: .running)
        } catch {
            return ProbeOutcome(holds: false, error.description)
        }
        // Open until the end, since a program that is run by descriptor needs it.
        defer { trusted.descriptor.close() }
        do throws(SpawnError) {
            let ended = try await loop.run(
                ChildCommand(
                    program: trusted.isScript
                        ? .path(FilePath(trusted.path))
                        : .descriptor(trusted.descriptor.descriptor, name: command.program),
                    arguments: Array(command.command.dropFirst()),
                    environment: [
                        "PATH": HookEnvironment.searchPath, "CLEAT_PROBE": name, "CLEAT_SOCKET": socket,
                    ],
                    workingDirectory: "/", outputLimit: Self.outputBytes, timeout: .milliseconds(command.timeout)))
            return Self.outcome(of: ended, command)
        } catch {
            return ProbeOutcome(holds: false, error.description)
        }
    }

    private static func outcome(of ended: ChildResult, _ command: ProbeCommand) -> ProbeOutcome {
        if ended.isSuccess { return ProbeOutcome(holds: true, "it ended with 0") }
        let how = ended.timedOut ? "did not end within \(command.timeout) ms" : "\(ended.status)"
        let said = ended.outputText.split(whereSeparator: \.isNewline).last.map { line in
            let shown = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
            return String(String.UnicodeScalarView(shown.prefix(shownCharacters)))
        }
        return ProbeOutcome(holds: false, "\(command.program) \(how)" + (said.map { ", saying “\($0)”" } ?? ""))
    }
}

/// The result of one check of a probe.
package struct ProbeOutcome: Sendable, Equatable {
    /// True if the probe holds.
    package var holds: Bool
    /// The finding, as half a sentence.
    package var message: String

    /// True if the check is impossible on this board: the link does not exist, or the kernel allows no ICMP socket.
    package var isImpossible: Bool

    /// Creates a result.
    package init(holds: Bool, _ message: String, isImpossible: Bool = false) {
        self.holds = holds
        self.message = message
        self.isImpossible = isImpossible
    }
}
