package import CleatJSON

// A large file is transferred in hundreds of such calls, so that these types implement their wire format by hand.

extension FilesInterface.Read.Parameters: WireValue {
    package var wire: JSONObject {
        var object: JSONObject = ["area": .string(area), "path": .string(path), "offset": .integer(offset)]
        if let length { object["length"] = .integer(Int64(length)) }
        if let token { object["token"] = .string(token) }
        return object
    }

    package init(wire: JSONObject) throws(WireError) {
        self.init(
            area: try wire.text("area"), path: try wire.text("path"), offset: try wire.number("offset"),
            length: try wire.optional("length", \.intValue), token: try wire.optional("token", \.stringValue))
    }
}

extension FilesInterface.Read.Reply: WireValue {
    package var wire: JSONObject {
        ["data": .string(data), "size": .integer(size), "token": .string(token)]
    }

    package init(wire: JSONObject) throws(WireError) {
        self.init(data: try wire.text("data"), size: try wire.number("size"), token: try wire.text("token"))
    }
}

extension FilesInterface.Write.Parameters: WireValue {
    package var wire: JSONObject {
        ["id": .string(id), "offset": .integer(offset), "data": .string(data)]
    }

    package init(wire: JSONObject) throws(WireError) {
        self.init(id: try wire.text("id"), offset: try wire.number("offset"), data: try wire.text("data"))
    }
}

extension FilesInterface.Begin.Reply: WireValue {
    package var wire: JSONObject { ["offset": .integer(offset)] }

    package init(wire: JSONObject) throws(WireError) {
        self.init(offset: try wire.number("offset"))
    }
}
