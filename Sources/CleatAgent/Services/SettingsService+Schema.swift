import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatVarlink

extension SettingsService {
    /// Returns the schema in force: with `more` all pieces of one text, else the requested piece.
    func schema(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: SettingsInterface.Schema.self)
        let (schema, revision) = await engine.schemaInForce
        var offset = parameters.offset ?? 0
        guard call.more else {
            guard let piece = try await schemaTexts.piece(at: offset, of: schema, revision: revision) else {
                throw VarlinkError.invalidParameter("offset")
            }
            return piece.reply
        }
        let pieces = try await schemaTexts.pieces(of: schema, revision: revision)
        while true {
            guard let piece = pieces.piece(at: offset) else { throw VarlinkError.invalidParameter("offset") }
            guard let next = piece.next else { return piece.reply }
            try await call.send(page: piece, on: engine.loop)
            offset = next
        }
    }

    /// Reads the board's files again, and returns the findings in them.
    func reload(_ call: VarlinkCall) async throws -> VarlinkReply {
        _ = try call.parameters(of: SettingsInterface.Reload.self)
        try await reloader.reload()
        let (findings, omitted) = Doctor.bounded(await doctor.findingsOfReload())
        return SettingsInterface.Reload.Reply(findings: findings, omitted: omitted).reply
    }

    /// Lists the schemas that are installed with Cleat.
    func installedSchemas(_ call: VarlinkCall) async throws -> VarlinkReply {
        _ = try call.parameters(of: SettingsInterface.InstalledSchemas.self)
        let schemas = try await worker.run { [installedSchemas] in try installedSchemas.list() }
        return SettingsInterface.InstalledSchemas.Reply(schemas: schemas).reply
    }

    /// Enables or disables an installed schema; nothing is on trial meanwhile.
    func enableSchema(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: SettingsInterface.EnableSchema.self)
        let (name, file) = (parameters.name, installedSchemas.file(of: parameters.name))
        let (hasChanged, former) = try await engine.withoutTrial { settings in
            try await worker.run { [installedSchemas] in
                try parameters.enabled
                    ? installedSchemas.enable(name) : (installedSchemas.disable(name, settings), nil)
            }
        }
        if hasChanged {
            try await reloader.reload()
            if parameters.enabled, let reason = await doctor.reasonAgainstSchema(file) {
                try await worker.run { [installedSchemas] in try installedSchemas.write(former, as: name) }
                try await reloader.reload()
                throw APIError.schemaRefused(name: name, message: "the schema \(name) is refused: \(reason)")
            }
        }
        return SettingsInterface.EnableSchema.Reply(changed: hasChanged, file: file).reply
    }

    /// Returns the findings of the doctor.
    func doctor(_ call: VarlinkCall) async throws -> VarlinkReply {
        _ = try call.parameters(of: SettingsInterface.Doctor.self)
        return await doctor.reply().reply
    }
}
