import JSONText
import ReportFormats

/// The elements of a JSON array with the lines of a text: the records of a log, as
/// `gcloud logging read --format json` writes them, or strings, as Swift prints an array of them.
struct ListedRecords {
    /// The elements in the file.
    private var elements: [Range<Int>] = []
    /// The keys of the texts in the first elements.
    private(set) var keys: [String] = []
    /// The end of the array.
    let end: Int
    /// The text between two elements, such as a comma and a line break.
    private var separator = Array(", ".utf8)

    /// The number of elements that are searched for keys.
    private static let keysLimit = 1_000
    /// The maximum length of a separator that is repeated for lines that are added.
    private static let separatorLimit = 256
    private static let lineBreak = Array(#"\n"#.utf8)

    /// - Parameter range: A text that begins with the array.
    /// - Returns: `nil` if it begins with anything else, or the array is damaged.
    init?(_ file: [UInt8], in range: Range<Int>) {
        let start = file[range].firstIndex { $0 > 0x20 } ?? range.upperBound
        guard start < range.upperBound, file[start] == UInt8(ascii: "[") else { return nil }
        var reader = JSONReader(file, in: start..<range.upperBound)
        let document = JSONDocument(readingFrom: &reader)
        guard document.failure == nil, let root = document.root else { return nil }
        end = reader.offset
        for element in root.elements {
            if elements.count < Self.keysLimit {
                let more = LogLayout.keys(of: element).filter { !keys.contains($0) }
                keys += more
            }
            elements.append(element.quotedRange)
        }
        let beforeLast = elements.count - 2
        if beforeLast >= 0, let end = separatorEnd(after: beforeLast) {
            separator = Array(file[elements[beforeLast].upperBound..<end])
        }
    }

    /// Returns the lines of the elements' texts.
    ///
    /// - Parameter key: The key of the texts, or `nil` for elements that are strings.
    func lines(ofTextsAt key: String?, in file: [UInt8]) -> [LoggedLine] {
        var lines: [LoggedLine] = []
        for (number, element) in elements.enumerated() where lines.count < JoinedRecords.linesLimit
        {
            guard let text = Self.text(of: element, at: key, in: file) else { continue }
            lines += self.lines(of: text, inElement: number, of: file)
        }
        return lines
    }

    private static func text(
        of element: Range<Int>, at key: String?, in file: [UInt8]
    ) -> Range<Int>? {
        guard let key else {
            guard file[element].first == UInt8(ascii: "\"") else { return nil }
            return element.lowerBound + 1..<element.upperBound - 1
        }
        return LogLayout.text(of: element, in: file, key: key)?.range
    }

    private func lines(
        of text: Range<Int>, inElement number: Int, of file: [UInt8]
    ) -> [LoggedLine] {
        var fragments = LogLayout.lines(of: text, in: file)
        if fragments.count > 1, fragments.last?.content.isEmpty == true { fragments.removeLast() }
        guard fragments.count == 1 else {
            return fragments.prefix(JoinedRecords.linesLimit).map {
                LoggedLine(
                    fragments: [$0], encoding: .json, lineBreak: Self.lineBreak,
                    isEnded: $0.content.upperBound < $0.record.upperBound)
            }
        }
        // A line that is added becomes an element of its own.
        let end = separatorEnd(after: number)
        fragments[0].record = elements[number].lowerBound..<(end ?? elements[number].upperBound)
        return [
            LoggedLine(
                fragments: fragments, encoding: .json, lineBreak: separator, isEnded: end != nil)
        ]
    }

    /// Returns the end of the separator after an element, or `nil` if it has none to repeat.
    private func separatorEnd(after number: Int) -> Int? {
        guard number + 1 < elements.count else { return nil }
        let next = elements[number + 1].lowerBound
        return next - elements[number].upperBound <= Self.separatorLimit ? next : nil
    }
}
