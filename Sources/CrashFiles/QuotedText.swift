/// A text as it was pasted into a mail or an issue: the lines of the report stand behind a mark,
/// which is blanks, `> `, or several of them.
struct QuotedText {
    /// The text without the mark; lines that do not have it are as they were.
    let bytes: [UInt8]
    private let mark: [UInt8]
    /// Where each line begins here, and where that byte stands in the file.
    private let starts: [(own: Int, outer: Int)]

    /// - Returns: `nil` where no line tells a report once a mark is taken from it.
    init?(_ lines: TextLines) {
        guard let mark = Self.mark(in: lines) else { return nil }
        self.mark = mark
        var bytes: [UInt8] = []
        var starts: [(own: Int, outer: Int)] = []
        for line in lines.indices {
            let text = lines.bytes[lines.ranges[line]]
            let length = Self.length(of: mark, in: text)
            starts.append((bytes.count, text.startIndex + length))
            bytes += text.dropFirst(length)
            bytes += lines.lineEnd(line)
        }
        self.bytes = bytes
        self.starts = starts
    }

    /// A range of this text in the file.
    func outer(_ range: Range<Int>) -> Range<Int> {
        let start = outer(range.lowerBound)
        return start..<max(start, outer(range.upperBound))
    }

    private func outer(_ place: Int) -> Int {
        let count = starts.orderedPrefixCount { $0.own <= place }
        guard count > 0 else { return place }
        return starts[count - 1].outer + place - starts[count - 1].own
    }

    /// What is written here as it is written in the file: each new line behind the mark.
    func marked(_ edit: Edit) -> Edit {
        var text: [UInt8] = []
        for byte in edit.bytes {
            text.append(byte)
            if byte == .newline { text += mark }
        }
        return Edit(outer(edit.range), text)
    }
}

extension QuotedText {
    /// How many bytes at the start of a line may be its mark.
    private static let markLimit = 32

    /// What stands before the first line that tells a report.
    private static func mark(in lines: TextLines) -> [UInt8]? {
        for line in lines.indices {
            let content = lines.content(line)
            let mark = content.prefix(markLimit).prefix(while: isMark)
            guard !mark.isEmpty, mark.count < markLimit else { continue }
            if tellsReport(content.dropFirst(mark.count), isQuoted: mark.contains(quote)) {
                return Array(mark)
            }
        }
        return nil
    }

    private static let quote = UInt8(ascii: ">")

    static func isMark(_ byte: UInt8) -> Bool { byte == quote || byte.isBlank }

    /// Frames alone are read behind blanks as they are.
    private static func tellsReport(_ line: ArraySlice<UInt8>, isQuoted: Bool) -> Bool {
        if line.first == UInt8(ascii: "{") {
            return line.contains(subsequence: Array("\"bug_type\"".utf8))
        }
        return CrashFileReader.textFormats.contains {
            $0.isAnchor(line) && (isQuoted || !HeldFormat.isRow($0))
        }
    }

    /// The part of the mark that a line has: an empty one lacks the blanks at its end.
    private static func length(of mark: [UInt8], in line: ArraySlice<UInt8>) -> Int {
        if line.starts(with: mark) { return mark.count }
        let isBlank = line.allSatisfy { isMark($0) || $0 == .carriageReturn }
        return isBlank ? zip(mark, line).prefix { $0 == $1 }.count : 0
    }
}

/// Writes a report behind the mark that it stands behind.
struct QuotedRewriting: ReportRewriting {
    let text: QuotedText
    let report: any ReportRewriting

    func edits(with answers: AnsweredFrames, _ budget: inout EditBudget) -> [Edit] {
        report.edits(with: answers, &budget).map(text.marked)
    }
}
