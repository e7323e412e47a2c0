package import CleatSettings

/// Sets the trigger and the brightness of LEDs (Documentation/leds/leds-class.rst).
package struct LEDAdapter: RestoreOrdering, LiveAdapter {
    private static let path = BuiltIn.path("leds")

    /// `leds`.
    package let name = "leds"
    /// `leds`.
    package let prefixes = [Self.path]

    /// Creates the adapter.
    package init() {}

    /// Wants the trigger before the brightness: a new trigger changes the brightness, and a brightness of 0 ends a
    /// trigger.
    package func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        for led in Self.leds(of: settings) {
            let trigger = Self.attribute(led.name, "trigger")
            let brightness = Self.attribute(led.name, "brightness")
            if let name = led.trigger {
                desired.want(trigger, .text(name.text), for: name.path)
            } else if let level = led.brightness {
                desired.want(trigger, .text("none"), for: level.path)
            }
            if let level = led.brightness {
                if level.text == "0", let name = led.trigger, name.text != "none" {
                    desired.refuse(
                        level.path, "is 0, which ends the trigger “\(name.text)”; unset one of the two")
                }
                desired.want(brightness, .text(level.text), for: level.path, after: trigger)
            } else if let name = led.trigger {
                desired.want(brightness, .kept, for: name.path, after: trigger)
            }
        }
        return desired
    }

    /// Checks each brightness against the LED's `max_brightness`, unless there is no running kernel.
    package func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem] {
        var desired = desired
        for led in Self.leds(of: settings) {
            guard let level = led.brightness, let wanted = Int(level.text) else { continue }
            do throws(ResourceError) {
                let text = try system.value(ofAttribute: "/sys/class/leds/\(led.name)/max_brightness")
                guard let most = text.flatMap({ Int($0) }), wanted > most else { continue }
                desired.refuse(
                    level.path, "is \(wanted), but this LED has at most \(most); set it to at most \(most)")
            } catch {
                desired.refuse(level.path, "cannot be compared with the maximum of this LED: \(error)")
            }
        }
        return desired.problems
    }

    /// Returns the trigger or the brightness if the setting is of that attribute; nil for an attribute that is only
    /// wanted along with it.
    package func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String? {
        guard case .attribute(let path) = wanted.resource, path.hasSuffix("/" + wanted.path.name) else { return nil }
        return String(validating: content, as: UTF8.self)
    }

    /// Returns the trigger and the brightness of each LED.
    package func live(
        _ scope: LiveScope, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [LiveValue] {
        var values: [LiveValue] = []
        for led in try scope.devices(ofClass: "leds", below: Self.path, on: system) where KernelValue.isPlain(led) {
            for name in ["brightness", "trigger"] {
                guard let path = try? Self.path.appending(led).appending(name) else { continue }
                if let value = try system.live(attribute: "/sys/class/leds/\(led)/\(name)", at: path, settings) {
                    values.append(value)
                }
            }
        }
        return values
    }

    /// False: a trigger that is restored may set the brightness.
    package let releasesFirst = false

    /// Restores the brightness before the trigger, which controls it from then on.
    ///
    /// If the trigger was `none`, the brightness follows: restoring `none` ends the present trigger and turns the LED
    /// off.
    package func restoreOrder(_ mementos: [Memento]) -> [Resource] {
        var order = Array(mementos.map(\.resource).reversed())
        for memento in mementos {
            guard case .attribute(let path) = memento.resource, path.hasSuffix("/trigger"), memento.words == "none",
                let trigger = order.firstIndex(of: memento.resource),
                let level = order.firstIndex(of: .attribute(path.dropLast("trigger".utf8.count) + "brightness")),
                level < trigger
            else { continue }
            order.swapAt(level, trigger)
        }
        return order
    }

    private struct LED {
        let name: String
        var trigger: (text: String, path: SettingPath)?
        var brightness: (text: String, path: SettingPath)?
    }

    /// Returns the LEDs that have settings, by the order of their paths.
    private static func leds(of settings: LayeredSettings) -> [LED] {
        var leds: [LED] = []
        for setting in settings.inForce(under: path) {
            guard let parent = setting.path.parent, parent.parent == path, let value = setting.value,
                let text = KernelValue.text(value)
            else { continue }
            let name = parent.name
            if leds.last?.name != name { leds.append(LED(name: name)) }
            switch setting.path.name {
            case "trigger": leds[leds.count - 1].trigger = (text, setting.path)
            case "brightness": leds[leds.count - 1].brightness = (text, setting.path)
            default: break
            }
        }
        return leds
    }

    private static func attribute(_ led: String, _ name: String) -> Resource {
        .attribute("/sys/class/leds/\(led)/\(name)")
    }
}
