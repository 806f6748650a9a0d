import JSONText

/// Tells what is a file as a whole from a log.
enum DocumentStart {
    /// Whether a stream that begins so is a file as a whole.
    static func begins(_ bytes: [UInt8]) -> Bool {
        if isBinary(bytes[...]) { return true }
        let first = bytes.first { !$0.isBlank && $0 != .newline && $0 != .carriageReturn }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// Whether the first bytes are those of a compressed file, or of one that is no text.
    static func isBinary(_ bytes: ArraySlice<UInt8>) -> Bool {
        Refusal(ofFile: Array(bytes.prefix(16))) != nil
    }

    /// - Parameter line: Begins with a brace or a bracket.
    static func format(_ line: ArraySlice<UInt8>, isFirst: Bool) -> HeldFormat? {
        if line.count == 1 { return .document }
        let isHeader = line.position(of: "\"bug_type\"") != nil
        let bytes = Array(line)
        let document = JSONDocument(bytes)
        guard document.failure == nil, let root = document.root else {
            return isFirst || isHeader ? .document : nil
        }
        if isHeader, root["threads"] == nil { return .document }
        if SwiftTextReport.isAnchor(line) { return .text }
        if let record = HeldRecord(root) { return record.format }
        return .value
    }
}
