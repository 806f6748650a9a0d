import JSONText
import ReportFormats

extension BufferedFormat {
    /// Whether a line clearly belongs to the report.
    func isFull(_ line: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .binary, .value, .rows: true
        case .document(let document): document.isReport && !line.trimmedLine.isEmpty
        case .preamble, .heading, .recordHeading: false
        case .ended: Self.isEnd(line.trimmedLine)
        case .stacks, .stackRecords: stackLine(in: line) != nil
        case .records: BufferedLogRecord(line.trimmedLine)?.isFull == true
        case .text:
            ["0x", " pc "].contains { line.position(of: $0) != nil } || ends(with: line)
                || Self.isOfTombstone(line)
        }
    }

    static func isEnd(_ line: ArraySlice<UInt8>) -> Bool { line.elementsEqual("EOF".utf8) }

    /// Whether a line follows the frames of a tombstone: addresses without `0x`, and open files.
    ///
    ///     000000775ba00c90 000000754c402278  x"@Lu...
    ///     0000007a'1514d000-0000007a'15150fff r--  0  4000  /system/lib64/libc.so
    ///     fd 89: /dev/ashmem
    private static func isOfTombstone(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.first?.isBlank == true else { return false }
        let word = line.trimmed.prefix { !$0.isBlank }
        return word.prefix { $0.hexDigitValue != nil }.count >= 8 || word.elementsEqual("fd".utf8)
    }

    /// Whether the report ends with a line.
    func ends(with line: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .binary, .rows, .preamble, .heading, .ended, .recordHeading: false
        case .document(let document): document.endsWithoutReport
        case .records: BufferedLogRecord(line.trimmedLine)?.endsReport == true
        case .value: true
        case .stacks, .stackRecords:
            if case .end? = stackLine(in: line) { true } else { false }
        case .text:
            line.position(of: "Backtrace took ") != nil || line.position(of: "backtraceTime") != nil
        }
    }
}
