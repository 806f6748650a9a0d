/// Lines of a report that nothing else is made of, kept as they are worded: the summary of a process's
/// memory, what the hardware is, a loader's error.
public struct ReportSection: Hashable, Sendable {
    /// The most lines that are kept of all sections of a report, and the most bytes of one line.
    public static let linesLimit = 4_096
    public static let lineBytesLimit = 4_096

    /// The first is its heading.
    public var lines: [String]

    public init(lines: [String]) { self.lines = lines }
}
