/// Lines of a report from which nothing else is derived, kept verbatim: the summary of a process's memory,
/// the hardware, a loader's error.
public struct ReportSection: Hashable, Sendable {
    /// The maximum number of lines kept of all sections of a report, and of bytes in a line.
    public static let linesLimit = 4_096
    public static let lineBytesLimit = 4_096

    /// The lines, starting with the heading.
    public var lines: [String]

    public init(lines: [String]) { self.lines = lines }
}
