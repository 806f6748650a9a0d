import CallStacks
import JSONText

/// Reads the facts of a diagnostic other than its stacks, from the objects that may contain them.
struct DetailsReader {
    /// The objects to search. The first one with a key provides its value.
    let sources: [JSONValue]

    var details: DiagnosticDetails {
        var details = DiagnosticDetails()
        details.appVersion = text("appVersion", "applicationVersion")
        details.appBuild = text("appBuildVersion", "applicationBuildVersion", "buildVersion")
        details.bundleIdentifier = text("bundleIdentifier", "bundleId")
        details.osVersion = first("osVersion").flatMap(Self.system)
        details.deviceType = text("deviceType")
        details.architecture = text("platformArchitecture")
        details.exceptionType = integer("exceptionType")
        details.exceptionCode = integer("exceptionCode")
        details.signal = integer("signal")
        details.terminationReason = first("terminationReason").flatMap(Self.verbatim)
        details.virtualMemoryRegion = text("virtualMemoryRegionInfo")
        let exception = first("objectiveCexceptionReason") ?? first("exceptionReason")
        details.objectiveCExceptionName = exception?["exceptionName"]?.string
        details.objectiveCExceptionMessage = exception?["composedMessage"]?.string
        details.measurement = measurement
        return details
    }

    var kind: DiagnosticKind? {
        DiagnosticKeys.fields.first { first($0.key) != nil }?.kind
    }

    private var measurement: String? {
        for key in [
            "hangDuration", "totalCPUTime", "writesCaused", "totalBytesWritten", "launchDuration",
            "eventDetail",
        ] {
            if let text = first(key).flatMap(Self.measurement) { return text }
        }
        return nil
    }

    private func first(_ key: String) -> JSONValue? {
        for source in sources {
            if let value = source[key], value.kind != .null { return value }
        }
        return nil
    }

    private func text(_ keys: String...) -> String? {
        for key in keys {
            if let text = first(key)?.string, !text.isEmpty { return text }
        }
        return nil
    }

    /// Returns an integer. A negative one keeps its bits, because exception codes have 64 bits.
    private func integer(_ key: String) -> UInt64? {
        guard let value = first(key) else { return nil }
        if case .negative(let number)? = value.number { return UInt64(bitPattern: number) }
        var remarks: [Remark] = []
        return ReceivedInteger(value).unsigned(&remarks)
    }

    /// Returns `iPhone OS 18.1 (22B83)`, which iOS 27 sends in parts.
    private static func system(_ value: JSONValue) -> String? {
        if let text = value.string { return text.isEmpty ? nil : text }
        var words = [value["platform"]?.string, value["number"]?.string]
        words.append(value["buildNumber"]?.string.map { "(\($0))" })
        let text = words.compactMap { $0 }.joined(separator: " ")
        return text.isEmpty ? nil : text
    }

    /// Returns a string unchanged, anything else as compact JSON.
    private static func verbatim(_ value: JSONValue) -> String? {
        if let text = value.string { return text.isEmpty ? nil : text }
        var writer = JSONWriter()
        writer.copy(value)
        return writer.text
    }

    /// Returns `3 sec`, which iOS 27 sends as a number and a unit.
    private static func measurement(_ value: JSONValue) -> String? {
        if let text = value.string { return text.isEmpty ? nil : text }
        if value.kind == .number { return String(decoding: value.rawText, as: UTF8.self) }
        guard let number = value["value"], number.kind == .number else { return nil }
        let unit = value["unit"]?.string ?? value["unit"]?["symbol"]?.string
        let digits = String(decoding: number.rawText, as: UTF8.self)
        return unit.map { "\(digits) \($0)" } ?? digits
    }
}
