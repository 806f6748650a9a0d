/// Text in a file that is read as a file of its own, such as quoted lines or the texts of a log's
/// records.
package struct EmbeddedText: Sendable {
    /// The bytes of the file in which the text is.
    package let range: Range<Int>
    package let source: any EmbeddedTextSource
    /// The reports of the text.
    package let content: CrashFile

    package init(range: Range<Int>, source: any EmbeddedTextSource, content: CrashFile) {
        self.range = range
        self.source = source
        self.content = content
    }
}

/// Converts changes of an embedded text to changes of its file.
package protocol EmbeddedTextSource: Sendable {
    /// The text itself, without the prefixes and delimiters that surround its lines in the file.
    var bytes: [UInt8] { get }
    /// The starts of the file's JSON strings that contain the text, or `nil` if it is not in JSON.
    var stringStarts: [Int]? { get }

    /// Converts edits of the text to edits of the file.
    func fileEdits(_ edits: [Edit]) -> [Edit]
}
