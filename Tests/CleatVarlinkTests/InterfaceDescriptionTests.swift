import Testing

@testable import CleatVarlink

@Suite struct InterfaceDescriptionTests {
    @Test func readsEveryKindOfDeclaration() throws {
        let description = try InterfaceDescription(
            """
            # Top.
            #
            # Second paragraph.
            interface com.example.all-kinds

            # Lost: an empty line follows.

            # A structure.
            type Item (name: string, size: ?int, # trailing
              tags: []string)
            type Colour (red, green_blue)
            type Nothing ()

            # Does it.
            # Twice.
            method DoIt(items: []Item, map: [string]?[]Colour, inner: (a: (b: object))) -> (done: bool, at: float)
            error Broken (why: (too_hot, too_cold))
            """)
        #expect(description.name == "com.example.all-kinds")
        #expect(description.documentation == "Top.\n\nSecond paragraph.")
        #expect(description.members.map(\.name) == ["Item", "Colour", "Nothing", "DoIt", "Broken"])
        #expect(description.members.map(\.documentation) == ["A structure.", "", "", "Does it.\nTwice.", ""])
        #expect(
            description.types["Item"]
                == .structure([
                    VarlinkField("name", .string), VarlinkField("size", .optional(.int)),
                    VarlinkField("tags", .array(.string)),
                ]))
        #expect(description.types["Colour"] == .enumeration([VarlinkChoice("red"), VarlinkChoice("green_blue")]))
        #expect(description.types["Nothing"] == .structure([]))
        let method = try #require(description.methods["DoIt"])
        #expect(
            method.parameters == [
                VarlinkField("items", .array(.named("Item"))),
                VarlinkField("map", .dictionary(.optional(.array(.named("Colour"))))),
                VarlinkField(
                    "inner", .structure([VarlinkField("a", .structure([VarlinkField("b", .object)]))])),
            ])
        #expect(method.reply == [VarlinkField("done", .bool), VarlinkField("at", .float)])
        #expect(
            description.errors["Broken"]?.parameters
                == [VarlinkField("why", .enumeration([VarlinkChoice("too_hot"), VarlinkChoice("too_cold")]))])
    }

    @Test(arguments: [
        "interface a.b\nmethod F()->()", "interface a.b.c\nmethod F()->()", "interface a1.b1.c1\nmethod F()->()",
        "interface a--1.b--1.c--1\nmethod F()->()", "interface a.21.c", "interface a.0.0",
        "interface com.example.0example\n", "interface xn--lgbbat1ad8j.example.algeria\nmethod F() -> ()\n",
        "\n\t # x\r\ninterface\ta.b # y\r\n  method F (\n)\n->\n(\n)", "interface a.b\ntype T (one)",
        "interface a.b\ntype T (type: string, method: int, interface: bool)", "interface a.b\ntype A (a: ?A)",
        "interface a.b\nerror E (int: int)\ntype B (b: [][][string]?[]string)", "interface a.b\nmethod F()->()#",
    ]) func accepts(_ text: String) throws {
        let description = try InterfaceDescription(text)
        #expect(description.text == text)
    }

    static let mistakes: [(String, IDLError.Code, Int, Int)] = [
        ("", .syntax, 1, 1),
        ("# only a comment", .syntax, 1, 17),
        ("method F()->()", .syntax, 1, 1),
        ("interface", .syntax, 1, 10),
        ("interface a", .badName, 1, 11),
        ("interface .a", .badName, 1, 11),
        ("interface a..b", .badName, 1, 11),
        ("interface a.b.", .badName, 1, 11),
        ("interface 1a.b", .badName, 1, 11),
        ("interface a.-b", .badName, 1, 11),
        ("interface a.b-", .badName, 1, 11),
        ("interface a.b_c", .badName, 1, 11),
        ("interface a.\(String(repeating: "b", count: 254))", .badName, 1, 11),
        ("interface a.b method F()->()", .syntax, 1, 15),
        ("interface a.b\nmethod F()->() method G()->()", .syntax, 2, 16),
        ("interface a.b\n  mthod F()->()", .syntax, 2, 3),
        ("interface a.b\nmethod f()->()", .badName, 2, 8),
        ("interface a.b\nmethod F_G()->()", .badName, 2, 8),
        ("interface a.b\nmethod F()", .syntax, 2, 11),
        ("interface a.b\nmethod F()-()", .syntax, 2, 11),
        ("interface a.b\nmethod F(a, b)->()", .syntax, 2, 9),
        ("interface a.b\nmethod F(a)->()", .syntax, 2, 9),
        ("interface a.b\nmethod F(a:)->()", .syntax, 2, 12),
        ("interface a.b\nmethod F(a: any)->()", .badName, 2, 13),
        ("interface a.b\nmethod F(a: Foo)->()", .undefinedType, 2, 13),
        ("interface a.b\nmethod F(a: ??int)->()", .syntax, 2, 14),
        ("interface a.b\nmethod F(a: [int]string)->()", .syntax, 2, 13),
        ("interface a.b\nmethod F(a: int[])->()", .syntax, 2, 16),
        ("interface a.b\nmethod F(a: int,)->()", .syntax, 2, 17),
        ("interface a.b\nmethod F(a: int b: int)->()", .syntax, 2, 17),
        ("interface a.b\nmethod F(a: int, b)->()", .syntax, 2, 19),
        ("interface a.b\nmethod F(a: int, a: int)->()", .duplicate, 2, 18),
        ("interface a.b\nmethod F(a__b: int)->()", .badName, 2, 10),
        ("interface a.b\nmethod F(a_: int)->()", .badName, 2, 10),
        ("interface a.b\nmethod F(_a: int)->()", .badName, 2, 10),
        ("interface a.b\ntype T (one-two, three)", .badName, 2, 9),
        ("interface a.b\ntype T (one, two: int)", .syntax, 2, 17),
        ("interface a.b\ntype T (one, one)", .duplicate, 2, 14),
        ("interface a.b\ntype T []int", .syntax, 2, 8),
        ("interface a.b\ntype T ()\nerror T ()", .duplicate, 3, 7),
        ("interface a.b\nerror E (a, b)", .syntax, 2, 9),
        ("interface a.b\nerror E", .syntax, 2, 8),
        ("interface a.b\n# äöü\nmethod F(ä: int)->()", .syntax, 3, 10),
        ("interface a.b\n\u{0}", .syntax, 2, 1),
        ("interface a.b\nmethod F(a: \(String(repeating: "[]", count: 40))int)->()", .tooDeep, 2, 77),
        ("interface a.b\nmethod F\(String(repeating: "(a:", count: 40))", .tooDeep, 2, 108),
        ("interface a.b\n#" + String(repeating: "x", count: 256 * 1024), .tooLarge, 1, 1),
    ]

    @Test(arguments: mistakes) func refuses(_ text: String, _ code: IDLError.Code, _ line: Int, _ column: Int) {
        let error = #expect(throws: IDLError.self) { try InterfaceDescription(text) }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.line == line, "\(String(describing: error))")
        #expect(error?.column == column, "\(String(describing: error))")
    }

    @Test func namesTheMistakeAndTheRemedy() {
        let error = #expect(throws: IDLError.self) { try InterfaceDescription("interface a.b\nmethod F(a: any)->()") }
        #expect(
            error?.description == "line 2, column 13: 'any' is not a type: expected bool, int, float, string, object "
                + "or the name of a declared type")
    }

    @Test(arguments: [InterfaceDescription.service.text, exampleText, exampleText.replacing("\n", with: "\r\n")])
    func writesWhatReadsBackTheSame(_ text: String) throws {
        let first = try InterfaceDescription(text)
        let second = try InterfaceDescription(first.formatted)
        #expect(second.members == first.members)
        #expect(second.documentation == first.documentation)
        #expect(second.formatted == first.formatted)
        #expect(first.formatted.split(separator: "\n").allSatisfy { $0.utf8.count <= 110 })
    }

    #if os(Linux)
        @Test func aBrokenConstantTraps() async {
            await #expect(processExitsWith: .failure) {
                _ = InterfaceDescription(constant: "interface broken")
            }
        }
    #endif
}
