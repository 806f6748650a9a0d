import CallStacks
import ReportFormats

/// Redacts a text that consists of frames, and may have messages between them.
struct FrameListRedaction {
    private let text: [UInt8]

    init(_ text: [UInt8]) { self.text = text }

    /// Returns the edits that redact private values, and every line without a frame at the strict
    /// level.
    func edits(_ level: RedactionLevel) -> [Edit] {
        text.split(separator: .newline).flatMap { line in
            if level == .strict, !Self.isFrame(line) {
                return line.trimmed.isEmpty ? [] : [Edit.redaction(line.indices)]
            }
            return TextRedaction.edits(of: text, in: line.indices, level: level)
        }
    }

    private static func isFrame(_ line: ArraySlice<UInt8>) -> Bool {
        line.count <= TextLines.lineBytesLimit && FrameLine(line) != nil
    }
}
