import JSONText
import OTLP

/// The app, system and device of a payload's metadata, under OpenTelemetry's names.
///
/// It describes the process that the payload is about, not the reporting one.
struct PayloadResource {
    let resource: Resource

    static let unknownService = "unknown_service"

    /// - Parameter sources: The objects that may have the metadata, in order of preference.
    init(_ sources: [JSONValue]) {
        func first(_ keys: String...) -> JSONValue? {
            for key in keys {
                for source in sources {
                    if let value = source[key], value.kind != .null { return value }
                }
            }
            return nil
        }
        func text(_ keys: String...) -> String? {
            for key in keys {
                if let text = first(key)?.string, !text.isEmpty { return text }
            }
            return nil
        }
        var attributes: [KeyValue] = []
        // OpenTelemetry requires a name, and specifies this one if it is unknown.
        attributes.set("service.name", text("bundleIdentifier") ?? Self.unknownService)
        for (key, value) in [
            ("service.version", text("appVersion", "applicationVersion")),
            ("device.model.identifier", text("deviceType")),
            ("host.arch", text("platformArchitecture")),
        ] {
            if let value { attributes.set(key, value) }
        }
        if text("deviceType") != nil { attributes.set("device.manufacturer", "Apple") }
        let system = first("osVersion")?.system.flatMap(SystemAttributes.init)
        for (key, value) in system?.attributes ?? [] { attributes.set(key, value) }
        var resource = Resource()
        resource.attributes = attributes
        self.resource = resource
    }
}
