/// The attributes of a process and its device, common to metric payloads and diagnostics.
enum MetadataTable {
    /// One attribute, with the metadata member of its value.
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

    /// The attributes that the instrumentation sends with metrics.
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

    /// The attributes for diagnostics. Two of them have other names in iOS 27.
    static let rowsOfDiagnostics =
        rows + [
            Row("app_version", "appVersion", .text),
            Row("bundle_identifier", "bundleIdentifier", .text),
            Row("app_version", "applicationVersion", .text),
            Row("app_build_version", "applicationBuildVersion", .text),
        ]
}
