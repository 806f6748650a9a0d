/// The attributes of a process and its device, common to metric payloads and diagnostics.
enum MetadataTable {
    /// One attribute, with the metadata member of its value.
    struct Row {
        let attribute: String
        let key: String
        let reading: FieldReading

        init(_ attribute: String, _ key: String, reading: FieldReading) {
            self.attribute = "metadata." + attribute
            self.key = key
            self.reading = reading
        }
    }

    /// The attributes that the instrumentation sends with metrics.
    static let rows = [
        Row("app_build_version", "appBuildVersion", reading: .text),
        Row("device_type", "deviceType", reading: .text),
        Row("os_version", "osVersion", reading: .system),
        Row("region_format", "regionFormat", reading: .text),
        Row("platform_arch", "platformArchitecture", reading: .text),
        Row("is_test_flight_app", "isTestFlightApp", reading: .flag),
        Row("low_power_mode_enabled", "lowPowerModeEnabled", reading: .flag),
        Row("pid", "pid", reading: .integer),
    ]

    /// The attributes for diagnostics. Two of them have other names in iOS 27.
    static let rowsOfDiagnostics =
        rows + [
            Row("app_version", "appVersion", reading: .text),
            Row("bundle_identifier", "bundleIdentifier", reading: .text),
            Row("app_version", "applicationVersion", reading: .text),
            Row("app_build_version", "applicationBuildVersion", reading: .text),
        ]
}
