/// How lines of the log are written.
public enum LogFormat: String, Hashable, Sendable, CaseIterable {
    /// For people.
    case text
    /// One JSON object a line, for programs.
    case json
}
