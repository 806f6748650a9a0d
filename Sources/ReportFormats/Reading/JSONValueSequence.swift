package import JSONText
import MetricKitPayloads

/// The JSON values of a file, in sequence or in an array, each with the `.ips` header before it.
///
/// A truncated value in the line before the start of another value is an incomplete header, which
/// is skipped. Text after the values that is not JSON is the tail.
package struct JSONValueSequence {
    private let bytes: [UInt8]
    private let end: Int
    private let context: ReadingContext
    private var position: Int
    private var count = 0
    /// The truncated line that was skipped. At most one line is skipped, because a file of such
    /// lines would be read to its end from each of them.
    package private(set) var skippedLine: Range<Int>?
    /// Whether the file has more values than the limit.
    package private(set) var reachedLimit = false
    /// The last `.ips` header, if its body has not been read.
    package private(set) var header: JSONValue?
    /// The text after the values or the last header that is not JSON.
    package private(set) var tail: Range<Int>?

    package init(_ bytes: [UInt8], in range: Range<Int>, context: ReadingContext) {
        self.bytes = bytes
        self.context = context
        end = range.upperBound
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        position = range.lowerBound + (bytes[range].starts(with: mark) ? mark.count : 0)
        skip(Self.isSpace)
    }

    /// Whether the text begins like JSON: with a bracketed value, or a string that contains one.
    package var startsWithJSON: Bool {
        position < end && (beginsContainer || bytes[position] == UInt8(ascii: "\""))
    }

    /// Whether nothing was read. Text that is not JSON may begin with a bracket too, such as
    /// `[INFO] ready`.
    package var isEmpty: Bool { count == 0 && header == nil && tail == nil }

    /// Whether the latest value is the first.
    package var isFirst: Bool { count == 1 }

    /// Returns the next value that is not a header.
    package mutating func next() -> JSONReportInput? {
        while true {
            skip(count == 0 && header == nil ? Self.opensList : Self.separates)
            guard position < end else { return nil }
            guard beginsContainer || (count == 0 && header == nil) else {
                tail = position..<end
                return nil
            }
            guard count < context.limits.elements else {
                reachedLimit = true
                return nil
            }
            let start = position
            let (document, stop) = document(from: start)
            guard let root = document.root else { return nil }
            position = stop
            if document.failure == nil, IPSHeader.fits(root) {
                header = root
                continue
            }
            if document.failure != nil, skippedLine == nil,
                let body = bodyAfterBrokenLine(from: start)
            {
                position = body
                skippedLine = start..<body
                continue
            }
            count += 1
            var context = context
            context.header = header
            header = nil
            return JSONReportInput(
                document: document, root: root, range: start..<stop, context: context)
        }
    }

    private func document(from start: Int) -> (JSONDocument, stop: Int) {
        var limits = JSONLimits()
        limits.bytes = max(limits.bytes, context.limits.bytes)
        var reader = JSONReader(
            bytes, in: start..<end, limits: limits, allowsTrailingCommas: true)
        let document = JSONDocument(readingFrom: &reader, limits: limits)
        let stop = max(reader.offset, start + 1)
        return (document, document.failure == nil ? stop : nextLineWithValue(from: stop))
    }

    /// Returns the start of the next line that begins an object, skipping the truncated value.
    private func nextLineWithValue(from start: Int) -> Int {
        var position = start
        while position < end, let lineEnd = bytes[position..<end].firstIndex(of: 0x0a) {
            position = lineEnd + 1
            if position < end, bytes[position] == UInt8(ascii: "{") { return position }
        }
        return end
    }

    /// Returns the start of the next line if it begins an object and this one is truncated inside
    /// one.
    private func bodyAfterBrokenLine(from start: Int) -> Int? {
        guard let lineEnd = bytes[start..<end].firstIndex(of: 0x0a) else { return nil }
        let line = JSONDocument(Array(bytes[start..<lineEnd]))
        guard line.failure != nil, lineEnd - start > 1,
            let next = bytes[lineEnd..<end].firstIndex(where: { !Self.isSpace($0) }),
            bytes[next] == UInt8(ascii: "{")
        else { return nil }
        return next
    }

    private var beginsContainer: Bool {
        bytes[position] == UInt8(ascii: "{") || bytes[position] == UInt8(ascii: "[")
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < end, isSkipped(bytes[position]) { position += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }

    private static func opensList(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte == UInt8(ascii: "[")
    }

    private static func separates(_ byte: UInt8) -> Bool {
        opensList(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]")
    }
}
