import LogExtraction
import Problems

/// A file to process: one given on the command line, or one inside a given folder or archive.
struct InputFile: Sendable {
    enum Content: Sendable {
        /// A file that is read when its turn comes.
        case unread
        case file(DecodedFile)
        /// Unpacked piece by piece when its turn comes.
        case large(LargeFile)
        /// Something other than a report.
        case noReport(Problem)
        /// A file that cannot be read.
        case problem(Problem)
        /// The end of a folder or archive, with the number of skipped files and notes about other
        /// files.
        case end(passedCount: Int, notes: [Problem])
    }

    /// The path that messages show, or `-` for standard input.
    let path: String
    /// The folder or archive on the command line that contains the file, or `nil`.
    var container: String?
    /// The path in the output folder.
    let outputName: String
    var content = Content.unread

    static let standardInput = Self(path: "-", outputName: "-")
}
