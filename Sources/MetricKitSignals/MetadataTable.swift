/// What metric payloads and diagnostics both say of the process and its device.
enum MetadataTable {
    /// One attribute, by the member of the metadata that it comes from.
    struct Row {
        let attribute: String
        let key: String
        let reading: FieldReading

        init(_ attribute: String, _ key: String, _ reading: FieldReading) {
            self.attribute = "metadata." + attribute
            self.key = key
            self.reading = reading
        }
    }

    /// What the instrumentation sends with metrics.
    static let rows = [
        Row("app_build_version", "appBuildVersion", .text),
        Row("device_type", "deviceType", .text),
        Row("os_version", "osVersion", .system),
        Row("region_format", "regionFormat", .text),
        Row("platform_arch", "platformArchitecture", .text),
        Row("is_test_flight_app", "isTestFlightApp", .flag),
        Row("low_power_mode_enabled", "lowPowerModeEnabled", .flag),
        Row("pid", "pid", .integer),
    ]

    /// What stands there for diagnostics as well; iOS 27 calls two of them otherwise.
    static let rowsOfDiagnostics =
        rows + [
            Row("app_version", "appVersion", .text),
            Row("bundle_identifier", "bundleIdentifier", .text),
            Row("app_version", "applicationVersion", .text),
            Row("app_build_version", "applicationBuildVersion", .text),
        ]
}
