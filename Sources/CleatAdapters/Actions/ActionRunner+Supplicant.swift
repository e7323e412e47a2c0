internal import CleatIO
internal import CleatSandbox
internal import SystemPackage

extension ActionRunner {
    /// The longest wait for wpa_supplicant's answer to a request, or for its socket.
    private static let answerLimit = Duration.seconds(5)
    /// The longest wait until it has joined a network.
    private static let joinLimit = Duration.seconds(30)

    /// Starts wpa_supplicant, or makes it read its file again, and waits until it has joined a network.
    ///
    /// It uses the interface by which wpa_cli(8) controls it.
    func reconfigure(_ goal: SupplicantGoal) async throws -> ActionResult.Outcome {
        let name = goal.interface
        let isThere = try await look { try $0.isThere("/sys/class/net/\(name)") }
        guard isThere else { return .waiting(InterfaceResource.absence) }
        if goal.networks == 0 {
            let hasFile = try await look { try $0.isThere(goal.file) }
            let link = goal.link.isEmpty ? nil : try await look { try $0.linkTarget(of: goal.link) }
            if link == nil, let stop = goal.systemctl("stop") {
                let outcome = await run(stop).outcome
                guard case .skipped = outcome else { return outcome }
            }
            guard let connection = try? DatagramConnection(to: goal.socket, loop: loop) else { return .done }
            defer { connection.close() }
            let request = hasFile ? "RECONFIGURE" : "REMOVE_NETWORK all"
            let answer = try await answer(to: request, connection)
            return answer == "OK" ? .done : .failed("wpa_supplicant of \(name) refuses “\(request)”; see its log.")
        }
        var isStarted = false
        if let start = goal.systemctl("start") {
            let outcome = await run(start).outcome
            if case .failed = outcome { return outcome }
            isStarted = outcome == .done
        }
        guard let connection = try await connection(to: goal.socket, within: isStarted ? Self.answerLimit : .zero)
        else {
            return isStarted
                ? .failed("wpa_supplicant of \(name) has ended after its start; see: journalctl -u \(goal.unit ?? "").")
                : .waiting(
                    "wpa_supplicant does not run for \(name); start it at boot with: wpa_supplicant -i \(name) -c "
                        + goal.file)
        }
        return try await reconfigure(goal, connection)
    }

    private func reconfigure(
        _ goal: SupplicantGoal, _ first: DatagramConnection
    ) async throws -> ActionResult.Outcome {
        var (connection, isReopened) = (first, false)
        defer { connection.close() }
        _ = try await answer(to: "ATTACH", connection)
        do {
            guard try await answer(to: "RECONFIGURE", connection) == "OK" else {
                return .failed("Could not make wpa_supplicant of \(goal.interface) read \(goal.file); see its log.")
            }
        } catch is DeadlineExceeded {
            // With another ctrl_interface in its file it has closed the socket, and opened it again.
            guard let second = try await self.connection(to: goal.socket, within: Self.answerLimit) else {
                return .failed("wpa_supplicant of \(goal.interface) has ended; see its log.")
            }
            connection.close()
            connection = second
            _ = try await answer(to: "ATTACH", connection)
            isReopened = true
        }
        guard try await answer(to: "GET_NETWORK 0 id_str", connection) == "\"\(SupplicantGoal.mark)\"" else {
            return .failed(
                "wpa_supplicant of \(goal.interface) reads another file than \(goal.file). Start it with -c \(goal.file)."
            )
        }
        if isReopened {
            // It may have joined a network meanwhile.
            let status = try await answer(to: "STATUS", connection)
            if status.split(separator: "\n").contains("wpa_state=COMPLETED") { return .done }
        }
        return goal.waits ? try await joined(goal, connection) : .done
    }

    /// Waits for the event that shows the outcome.
    ///
    /// A refused passphrase is the outcome only if no other network is joined.
    private func joined(_ goal: SupplicantGoal, _ connection: DatagramConnection) async throws -> ActionResult.Outcome {
        let end = BootTime.now().advanced(by: Self.joinLimit)
        var refusal: ActionResult.Outcome?
        var (rejections, absences) = (0, 0)
        while true {
            let text: String
            do {
                text = try await loop.withDeadline(end.duration(since: .now())) { try await connection.receive() }
            } catch is DeadlineExceeded {
                let waiting = "\(goal.interface) has not joined a network within \(Self.joinLimit)"
                return refusal ?? .waiting("\(waiting); wpa_supplicant goes on trying")
            }
            // Each event begins with a level: <3>CTRL-EVENT-CONNECTED.
            let event = text.drop { $0 != ">" }.dropFirst()
            if event.hasPrefix("CTRL-EVENT-CONNECTED") { return .done }
            // A hidden network may be found by the second search.
            if event.hasPrefix("CTRL-EVENT-NETWORK-NOT-FOUND") { absences += 1 }
            if absences > 1 {
                return refusal
                    ?? .waiting("no network of \(goal.interface) is in range; wpa_supplicant goes on searching")
            }
            // The answer of WPA3 to a wrong passphrase, which is tried again.
            if event.hasPrefix("CTRL-EVENT-AUTH-REJECT"), Self.has("auth_type=3 ", in: Array(event.utf8)) {
                rejections += 1
                let outcome = ActionResult.Outcome.failed(
                    "Could not join a Wi-Fi network with \(goal.interface): the access point refuses the passphrase; set "
                        + "the right one.")
                if rejections > 1, goal.networks == 1 { return outcome }
                refusal = refusal ?? outcome
            }
            if event.hasPrefix("CTRL-EVENT-SSID-TEMP-DISABLED") {
                let name = event.drop { $0 != "\"" }.dropFirst().prefix { $0 != "\"" }
                let isWrong = Self.has("reason=WRONG_KEY", in: Array(event.utf8))
                let reason = isWrong ? "refuses the passphrase; set the right one" : "refuses the connection"
                refusal = .failed("Could not join the Wi-Fi network “\(name)”: the access point \(reason).")
                if isWrong, goal.networks == 1, let refusal { return refusal }
            }
        }
    }

    /// Connects to the socket; a program that was started just now has a time to create it.
    ///
    /// - Returns: nil if no program listens.
    private func connection(to path: String, within limit: Duration) async throws -> DatagramConnection? {
        let end = BootTime.now().advanced(by: limit)
        while true {
            let arrival = SocketArrival(path: path, loop: loop)
            defer { arrival.close() }
            do throws(Errno) {
                return try DatagramConnection(to: path, loop: loop)
            } catch {
                guard error == .noSuchFileOrDirectory || error == .connectionRefused else { throw error }
            }
            let left = end.duration(since: .now())
            guard left > .zero else { return nil }
            _ = try await arrival.wait(atMost: left)
        }
    }

    /// Sends a request and returns its answer; events in between are skipped.
    private func answer(to request: String, _ connection: DatagramConnection) async throws -> String {
        try connection.send(request)
        return try await loop.withDeadline(Self.answerLimit) {
            while true {
                let text = try await connection.receive()
                if !text.hasPrefix("<") { return text.hasSuffix("\n") ? String(text.dropLast()) : text }
            }
        }
    }
}
