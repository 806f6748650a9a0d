import CrashFiles

/// One file to answer: one that was given, or one that lies in a folder or an archive that was.
struct InputFile: Sendable {
    enum Content: Sendable {
        /// Read when its turn comes.
        case unread
        case file(UnwrappedFile)
        /// Nothing that is a report, with what to do.
        case noReport(String)
        /// Nothing, for a reason in one line.
        case problem(String)
        /// The end of a folder or archive, of which so many files were not looked at.
        case end(passedCount: Int)
    }

    /// What messages call it; `-` for standard input.
    let path: String
    /// The folder or archive that was given, for what lies in it.
    var container: String?
    /// What it is called in a folder of answers.
    let outputName: String
    var content = Content.unread

    static let standardInput = Self(path: "-", outputName: "-")
}
