/// The format of log lines.
public enum LogFormat: String, Hashable, Sendable, CaseIterable {
    /// Text, for readers.
    case text
    /// One JSON object per line, for programs.
    case json
}
