import Cleat

/// A way in which a lamp shines.
enum Mode: String, Codable, Sendable, CaseIterable {
    case steady, fading
}

/// A value that is a whole group of settings.
struct Colour: Codable, Sendable, Equatable {
    var red = 255
    var green = 255
    var name: String?
}

extension SettingKey<Int> {
    static var brightness: Self { .init("lamp/brightness", default: 80) }
}

extension SettingKey<Double> {
    static var volume: Self { .init("lamp/volume", default: 0.5) }
}

extension SettingKey<[String]> {
    static var scenes: Self { .init("lamp/scenes", default: []) }
}

extension SettingKey<String?> {
    static var label: Self { .init("lamp/label") }
}

extension SettingKey<Mode> {
    static var mode: Self { .init("lamp/mode", default: .steady) }
}

extension SettingKey<Colour> {
    static var colour: Self { .init("lamp/colour", default: Colour()) }
}

/// The schema of the tests' keys.
let lampSchema = """
    {
      "type": "object",
      "properties": {
        "lamp": {
          "type": "object",
          "properties": {
            "brightness": { "type": "integer", "minimum": 0, "maximum": 100, "default": 80 },
            "volume": { "type": "number", "default": 0.5 },
            "scenes": { "type": "array", "items": { "type": "string" }, "default": [], "maxItems": 1000 },
            "label": { "type": "string", "default": "lamp" },
            "mode": { "enum": ["steady", "fading"], "default": "steady" },
            "colour": {
              "type": "object",
              "properties": {
                "red": { "type": "integer", "default": 255 },
                "green": { "type": "integer", "default": 255 },
                "name": { "type": "string" }
              }
            },
            "pin": { "type": "string", "writeOnly": true }
          }
        }
      }
    }
    """
