import JSONText
import OTLP

/// What a payload's metadata says of the app, its system and device, under OpenTelemetry's names.
///
/// It describes the process that the payload is about, not the one that reported it.
struct PayloadResource {
    let resource: Resource

    static let unknownService = "unknown_service"

    /// - Parameter sources: The objects that may say it, the first one first.
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
        // OpenTelemetry wants a name in any case, and this one where there is none.
        attributes.set("service.name", text("bundleIdentifier") ?? Self.unknownService)
        for (key, value) in [
            ("service.version", text("appVersion", "applicationVersion")),
            ("app.build_id", text("appBuildVersion", "applicationBuildVersion")),
            ("device.model.identifier", text("deviceType")),
            ("host.arch", text("platformArchitecture")),
        ] {
            if let value { attributes.set(key, value) }
        }
        if text("deviceType") != nil { attributes.set("device.manufacturer", "Apple") }
        let system = first("osVersion")?.system.flatMap(SystemVersion.init)
        for (key, value) in system?.attributes ?? [] { attributes.set(key, value) }
        var resource = Resource()
        resource.attributes = attributes
        self.resource = resource
    }
}
