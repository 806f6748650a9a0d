/// Lines of a report from which nothing else is derived, kept verbatim, such as a summary of the
/// process's memory, the hardware, or an error of the loader.
public struct ReportSection: Hashable, Sendable {
    /// The maximum number of lines kept from all sections of a report, and of bytes per line.
    public static let linesLimit = 4_096
    public static let lineBytesLimit = 4_096

    /// The lines, starting with the heading.
    public var lines: [String]

    public init(lines: [String]) { self.lines = lines }
}
