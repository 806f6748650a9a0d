/// The extent to which a report's private content is redacted.
///
/// The raw values are stable: they are part of the JSON and of the settings.
public enum RedactionLevel: String, Hashable, Sendable, CaseIterable {
    case none
    /// Redacts device keys, user names, and private parts of messages.
    case standard = "default"
    /// Also redacts all messages, registers, memory, hosts, arguments and environments.
    case strict

    /// The replacement for redacted text.
    public static let placeholder = "redacted"
}
