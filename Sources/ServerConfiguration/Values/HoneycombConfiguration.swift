/// The attribute names in the configuration of Honeycomb's processor.
public struct HoneycombConfiguration: Hashable, Sendable {
    public var stackTrace: String
    public var metricKitStackTrace: String
    public var metricKitOutput: String
    public var exceptionType: String
    public var exceptionMessage: String
    public var original: String
    public var failed: String
    public var error: String
    public var buildUUID: String
    public var executable: String
    public var language: String
    /// The languages whose records are processed, or empty for all records.
    public var allowedLanguages: [String]

    /// Returns `nil` unless the settings are enabled.
    init?(_ reader: SettingReader) {
        guard reader.isOn("honeycomb.enabled") else { return nil }
        func key(_ name: String) -> String {
            reader.value("honeycomb.\(name)_attribute_key") { $0 }
        }
        stackTrace = key("stack_trace")
        metricKitStackTrace = key("metrickit_stack_trace")
        metricKitOutput = key("output_metrickit_stack_trace")
        exceptionType = key("output_metrickit_exception_type")
        exceptionMessage = key("output_metrickit_exception_message")
        original = key("original_stack_trace")
        failed = key("symbolicator_failure")
        error = key("symbolicator_error")
        buildUUID = key("build_uuid")
        executable = key("app_executable")
        language = key("language")
        allowedLanguages = reader.texts("honeycomb.allowed_languages")
    }
}
