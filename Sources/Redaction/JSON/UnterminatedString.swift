import JSONText
import ReportFormats

/// The string in which a file is truncated. A part of its content does not show what the whole
/// contains.
struct UnterminatedString {
    /// The range from its opening quote to the end of the file.
    let content: Range<Int>

    /// Returns `nil` if the document is complete, or truncated outside of strings.
    ///
    /// - Complexity: O(*n*) in the elements of its open containers, and the text after them.
    init?(in file: [UInt8], of root: JSONValue) {
        guard !root.isWhole else { return nil }
        var opening: Int?
        var position = root.endOfWholeValues
        while position < file.count {
            switch file[position] {
            case UInt8(ascii: "\\") where opening != nil: position += 1
            case UInt8(ascii: "\""): opening = opening == nil ? position + 1 : nil
            default: break
            }
            position += 1
        }
        guard let opening else { return nil }
        content = opening..<file.count
    }
}

extension JSONValue {
    /// The end of the last complete value inside.
    fileprivate var endOfWholeValues: Int {
        var value = self
        while !value.isWhole, let last = value.last { value = last }
        return value.isWhole ? value.quotedRange.upperBound : value.range.lowerBound + 1
    }

    private var last: JSONValue? {
        var last: JSONValue?
        if kind == .object {
            for member in members { last = member.value }
        } else {
            for element in elements { last = element }
        }
        return last
    }
}
