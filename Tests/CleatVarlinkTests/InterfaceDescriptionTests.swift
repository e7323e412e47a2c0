import Testing

@testable import CleatVarlink

@Test func serviceInterfaceParses() {
    #expect(InterfaceDescription.service.name == "org.varlink.service")
    #expect(InterfaceDescription.service.methods.keys.sorted() == ["GetInfo", "GetInterfaceDescription"])
}
