import CleatJSON
import CleatSettings
import CleatTestSupport
import TemplateTestSupport
import Testing

@testable import CleatTemplates

@Suite("Bounds of templates")
struct TemplateBoundsTests {
    /// Loops in one another over long lists.
    @Test(arguments: [
        ("{{@root/name}}", "makes a file of more than 1048576 bytes; set fewer entries"),
        ("", "makes the template take more than 1000000 steps; set fewer entries"),
    ])
    func bomb(inside: String, reason: String) throws {
        let schema = try TemplateFixture.schema()
        let open = String(repeating: "{{#@root/services/web/aliases}}", count: 8)
        let close = String(repeating: "{{/@root/services/web/aliases}}", count: 8)
        let template = try Template("\n" + open + inside + close, escape: .line, schema: schema)
        let list = (0..<200).map { "'\($0)'" }.joined(separator: ",")
        let settings = try TemplateFixture.settings(
            "{name:'\(String(repeating: "x", count: 200))',services:{web:{aliases:[\(list)]}}}", schema)
        let problem = #expect(throws: TemplateProblem.self) { try template.render(settings) }
        #expect(problem?.reason == reason)
        #expect(problem?.path?.text == "services/web/aliases")
        #expect(problem?.position.line == 2)
    }

    /// Templates put together of what the language has, whole and broken.
    @Test(arguments: 1...TestMachine.rounds(4, briefly: 1))
    func randomTemplates(seed: Int) throws {
        let schema = try TemplateFixture.schema()
        let settings = try TemplateFixture.settings(
            """
            {name:'n',ports:{a:1,b:2},sites:{s:{root:'/r',names:['x','y']},t:{}},
             services:{web:{enabled:true,aliases:['p','q'],peers:[{host:'h',tags:['t'],labels:{k:'v'}}],anything:[1,{a:2}]}}}
            """, schema)
        let names = [
            "name", "services", "services/web", "web", "port", "aliases", "peers", "host", "tags", "labels", "sites",
            "root",
            "names", "ports", "anything", ".", "@key", "@first", "@last", "@root/name", "@root/sites", "nothing", "",
            "ä",
        ]
        let texts = [
            "\n", " ", "x", "\"", "'", "=", "<a>", "{", "}", "{{", "}}", "#", "\\", "$", "/", "[", "A=", "\r\n",
        ]
        var random = SeededGenerator(seed: UInt64(seed))
        var compiled = 0
        for _ in 0..<3_000 {
            var open: [String] = []
            var text = ""
            for _ in 0..<Int.random(in: 1...14, using: &random) {
                let name = names.randomElement(using: &random) ?? ""
                switch Int.random(in: 0..<12, using: &random) {
                case 0...2: text += "{{\(name)}}"
                case 3, 4:
                    text += "{{#\(name)}}"
                    open.append(name)
                case 5:
                    text += "{{^\(name)}}"
                    open.append(name)
                case 6...8: if let last = open.popLast() { text += "{{/\(last)}}" }
                case 9: text += ["{{! c }}", "{{\"{{\"}}", "{{{", "{{/x}}", "{{"].randomElement(using: &random) ?? ""
                default: text += texts.randomElement(using: &random) ?? ""
                }
            }
            while let last = open.popLast() { text += "{{/\(last)}}" }
            let escape = TemplateEscape.allCases.randomElement(using: &random) ?? .word
            let template: Template
            do {
                template = try Template(text, escape: escape, schema: schema)
            } catch {
                #expect((1...TemplateLimits.problems).contains(error.problems.count))
                #expect(error.problems.allSatisfy { $0.position.line >= 1 && $0.position.column >= 1 })
                continue
            }
            compiled += 1
            do {
                let first = try template.render(settings)
                #expect(try template.render(settings) == first)
                #expect(first.count <= TemplateLimits.outputBytes)
            } catch {
                #expect(!error.reason.isEmpty)
            }
        }
        #expect(compiled > 100, "seed \(seed): \(compiled) of 3000")
    }

    @Test("Random bytes never trap")
    func randomBytes() throws {
        let schema = try TemplateFixture.schema()
        var random = SeededGenerator(seed: 66)
        var refused = 0
        for _ in 0..<3_000 {
            var bytes = random.bytes(Int.random(in: 0...24, using: &random))
            for _ in 0..<3 { bytes.insert(contentsOf: "{{".utf8, at: Int.random(in: 0...bytes.count, using: &random)) }
            for _ in 0..<2 { bytes.insert(contentsOf: "}}".utf8, at: Int.random(in: 0...bytes.count, using: &random)) }
            let escape = TemplateEscape.allCases.randomElement(using: &random) ?? .word
            let template: Template
            do {
                template = try Template(bytes, escape: escape, schema: schema)
            } catch {
                refused += 1
                #expect((1...TemplateLimits.problems).contains(error.problems.count))
                #expect(error.problems.allSatisfy { $0.position.line >= 1 && $0.position.column >= 1 })
                continue
            }
            do {
                #expect(try template.render { _ in nil }.count <= TemplateLimits.outputBytes)
            } catch {
                #expect(!error.reason.isEmpty)
            }
        }
        #expect(refused > 1_000, "\(refused) of 3000")
    }
}
