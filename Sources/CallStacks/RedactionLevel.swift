/// How much of what may tell a person is left out of what is written.
///
/// The raw values are stable: programs read them, and people give them.
public enum RedactionLevel: String, Hashable, Sendable, CaseIterable {
    case none
    /// Keys of devices, names of users, and what is private in messages.
    case standard = "default"
    /// Besides, all messages, registers and memory, hosts, arguments and environments.
    case strict

    /// What stands where something was left out.
    public static let placeholder = "redacted"
}
