internal import CleatIO
internal import SystemPackage

extension ActionRunner {
    /// The longest wait for wpa_supplicant's answer to a request.
    private static let answerLimit = Duration.seconds(5)
    /// The longest wait until it has joined a network.
    private static let joinLimit = Duration.seconds(30)

    /// Makes wpa_supplicant read its file again, and waits until it has joined a network.
    ///
    /// It uses the interface by which wpa_cli(8) controls it.
    func reconfigure(_ goal: SupplicantGoal) async throws -> ActionResult.Outcome {
        let (name, socket) = (goal.interface, goal.socket)
        let connection: DatagramConnection
        do {
            connection = try await self.connection(to: socket, within: goal.isStarting ? Self.answerLimit : .zero)
        } catch is Errno {
            return .waiting(
                "wpa_supplicant does not run for \(name); start it at boot with: wpa_supplicant -i \(name) -c \(goal.file)"
            )
        }
        defer { connection.close() }
        guard try await answer(to: "ATTACH", connection) == "OK",
            try await answer(to: "RECONFIGURE", connection) == "OK"
        else { return .failed("Could not make wpa_supplicant of \(name) read \(goal.file); see its log.") }
        if goal.names.isEmpty { return .done }
        guard goal.isListed(in: try await answer(to: "LIST_NETWORKS", connection)) else {
            return .failed(
                "wpa_supplicant of \(name) has other networks than \(goal.file): it reads another file. Start it with "
                    + "-c \(goal.file).")
        }
        return try await joined(goal, connection)
    }

    /// Waits for the event that shows the outcome.
    ///
    /// A refused passphrase is the outcome only if no other network is joined.
    private func joined(_ goal: SupplicantGoal, _ connection: DatagramConnection) async throws -> ActionResult.Outcome {
        let end = BootTime.now().advanced(by: Self.joinLimit)
        var refusal: ActionResult.Outcome?
        while true {
            let left = end.duration(since: .now())
            let text: String
            do {
                text = try await loop.withDeadline(left) { try await connection.receive() }
            } catch is DeadlineExceeded {
                let waiting = "\(goal.interface) has not joined a network within \(Self.joinLimit)"
                return refusal ?? .waiting("\(waiting); wpa_supplicant goes on trying")
            }
            // Each event begins with a level: <3>CTRL-EVENT-CONNECTED.
            let event = text.drop { $0 != ">" }.dropFirst()
            if event.hasPrefix("CTRL-EVENT-CONNECTED") { return .done }
            if event.hasPrefix("CTRL-EVENT-NETWORK-NOT-FOUND") {
                return refusal
                    ?? .waiting("no network of \(goal.interface) is in range; wpa_supplicant goes on searching")
            }
            if event.hasPrefix("CTRL-EVENT-SSID-TEMP-DISABLED"), Self.has("reason=WRONG_KEY", in: Array(event.utf8)) {
                let name = event.drop { $0 != "\"" }.dropFirst().prefix { $0 != "\"" }
                let outcome = ActionResult.Outcome.failed(
                    "Could not join the Wi-Fi network “\(name)”: the access point refuses the passphrase; set the right "
                        + "one.")
                if goal.names.count == 1 { return outcome }
                refusal = outcome
            }
        }
    }

    /// Connects to the socket; a program that was started just now has a time to create it.
    private func connection(to path: String, within limit: Duration) async throws -> DatagramConnection {
        let end = BootTime.now().advanced(by: limit)
        while true {
            let arrival = SocketArrival(path: path, loop: loop)
            defer { arrival.close() }
            do throws(Errno) {
                return try DatagramConnection(to: path, loop: loop)
            } catch {
                let left = end.duration(since: .now())
                guard left > .zero else { throw error }
                _ = try await arrival.wait(atMost: left)
            }
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
