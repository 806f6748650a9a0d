import CallStacks
public import LogExtraction
public import ReportFormats

/// A file and the reports read from it.
public struct ParsedReportFile: Sendable {
    /// The file as received, decompressed.
    public let received: DecodedFile
    /// The redacted file, to which ranges in ``content`` refer.
    public let file: DecodedFile
    /// The reports, and the ranges that could not be read.
    public let content: CrashFile
    /// The paths of the images before redaction, for each report.
    public let imagePaths: [[String?]]
}

extension CrashFile {
    /// The paths of the images, for each report.
    var imagePaths: [[String?]] { reports.map { $0.images.map(\.path) } }
}
