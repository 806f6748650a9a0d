/// A line that begins a section of a text report.
package enum CrashTextHeading: Equatable {
    /// The name of a thread whose stack follows.
    case threadName(Int, ThreadLabel)
    /// A stack, with whether the report is about it, and the report's word for that if it did not
    /// crash.
    case thread(Int, isAttributed: Bool, label: ThreadLabel, mark: String? = nil)
    case lastException
    case applicationBacktrace
    case images
    case information

    package init?(_ line: ArraySlice<UInt8>) {
        guard let first = line.first, first >= UInt8(ascii: "A"), first <= UInt8(ascii: "T")
        else { return nil }
        if line.starts(with: "Thread ".utf8) {
            self.init(thread: line.dropFirst(7))
        } else if line.starts(with: "Last Exception Backtrace:".utf8) {
            self = .lastException
        } else if line.starts(with: "Application Specific Backtrace".utf8) {
            self = .applicationBacktrace
        } else if line.starts(with: "Binary Images:".utf8) {
            self = .images
        } else if line.starts(with: "Application Specific Information:".utf8)
            || line.starts(with: "Dyld Error Message:".utf8)
        {
            self = .information
        } else {
            return nil
        }
    }

    /// Reads the text after `Thread `.
    private init?(thread text: ArraySlice<UInt8>) {
        let digits = text.prefix(while: \.isDigit)
        guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
        var rest = text.dropFirst(digits.count)
        let tags = [" name", " Crashed", " Attributed", " Highlighted"]
        let tag = tags.first { rest.starts(with: $0.utf8) }
        rest = rest.dropFirst(tag?.utf8.count ?? 0)
        guard rest.first == UInt8(ascii: ":") else { return nil }
        let label = ThreadLabel(
            String(decoding: rest.drop { $0 == UInt8(ascii: ":") }, as: UTF8.self))
        if tag == tags[0] {
            self = .threadName(number, label)
        } else {
            let mark = tag == " Crashed" ? nil : tag.map { String($0.dropFirst()) }
            self = .thread(number, isAttributed: tag != nil, label: label, mark: mark)
        }
    }
}

/// The name in `io.orchard.worker` or `io.orchard.worker  Dispatch queue: io.orchard`.
package struct ThreadLabel: Equatable {
    var name: String?
    var queue: String?

    var isEmpty: Bool { name == nil && queue == nil }

    init(_ text: String) {
        let sign = "Dispatch queue:"
        let parts = text.split(separator: sign, maxSplits: 1, omittingEmptySubsequences: false)
        let texts = parts.map(\.trimmed).map { $0.isEmpty ? nil : $0 }
        name = texts.first ?? nil
        queue = texts.count > 1 ? texts[1] : nil
    }
}
