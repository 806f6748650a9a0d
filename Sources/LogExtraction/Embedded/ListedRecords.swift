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

    /// The number of elements that are searched for keys.
    private static let keysLimit = 1_000

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
            return fragments.map {
                LoggedLine(
                    fragments: [$0], encoding: .json, lineBreak: Array(#"\n"#.utf8),
                    isEnded: $0.content.upperBound < $0.record.upperBound)
            }
        }
        // A line that is added becomes an element of its own.
        let isLast = number == elements.count - 1
        let start = elements[number].lowerBound
        let end = isLast ? elements[number].upperBound : elements[number + 1].lowerBound
        fragments[0].record = start..<end
        return [
            LoggedLine(
                fragments: fragments, encoding: .json, lineBreak: separator(in: file),
                isEnded: !isLast)
        ]
    }

    /// Returns the text between the last two elements.
    private func separator(in file: [UInt8]) -> [UInt8] {
        guard elements.count > 1 else { return Array(", ".utf8) }
        let (before, last) = (elements[elements.count - 2], elements[elements.count - 1])
        return Array(file[before.upperBound..<last.lowerBound])
    }
}
