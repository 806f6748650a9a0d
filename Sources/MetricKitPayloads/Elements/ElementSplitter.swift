import JSONText

/// Splits an upload into its JSON values: one, the elements of an array, or several in sequence.
///
/// An invalid value ends where its brackets close, or before the next line that starts with a
/// bracket, so that it does not affect its neighbours.
struct ElementSplitter {
    struct Piece {
        let document: JSONDocument
        let range: Range<Int>
    }

    private let bytes: [UInt8]
    private let end: Int
    private let limits: PayloadLimits
    private(set) var position: Int
    private var count = 0
    /// The number of bytes that may still be parsed. A value may be read twice, and again as part
    /// of a broken one before it, but the total is bounded.
    private var budget: Int
    private(set) var reachedLimit = false

    init(_ bytes: [UInt8], in range: Range<Int>, limits: PayloadLimits) {
        self.bytes = bytes
        self.limits = limits
        position = range.lowerBound
        end = range.upperBound
        budget = range.count.multipliedReportingOverflow(by: 4).partialValue
    }

    mutating func next() -> Piece? {
        skipSeparators()
        guard position < end else { return nil }
        guard count < limits.elements, budget > 0 else {
            reachedLimit = true
            return nil
        }
        count += 1
        let whole = piece(position..<end)
        guard whole.document.failure != nil else {
            position = whole.range.upperBound
            return whole
        }
        let boundary = boundary(after: position)
        guard boundary < end else {
            position = end
            return whole
        }
        let cut = piece(position..<boundary)
        let range = position..<boundary
        position = boundary
        return Piece(document: cut.document, range: range)
    }

    private mutating func piece(_ range: Range<Int>) -> Piece {
        var limits = JSONLimits()
        limits.bytes = max(limits.bytes, range.count)
        var reader = JSONReader(bytes, in: range, limits: limits)
        let document = JSONDocument(readingFrom: &reader, limits: limits)
        budget -= max(reader.offset - range.lowerBound, 1)
        let stop = document.failure == nil ? reader.offset : range.upperBound
        return Piece(document: document, range: range.lowerBound..<stop)
    }

    /// Skips the separators between the values of a batch: brackets and commas, or white space.
    private mutating func skipSeparators() {
        while position < end, Self.separates(bytes[position]) { position += 1 }
    }

    private static func separates(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "["), UInt8(ascii: ","), UInt8(ascii: "]"): true
        default: false
        }
    }

    /// Returns the probable end of a broken value that starts at `start`.
    private func boundary(after start: Int) -> Int {
        var depth = 0
        var isInString = false
        var index = start
        while index < end {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\n"), beginsValue(index + 1) { return index + 1 }
            if isInString {
                if byte == UInt8(ascii: "\\") { index += 1 }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else {
                if byte == UInt8(ascii: "\"") { isInString = true }
                if byte == UInt8(ascii: ","), depth == 0 { return index }
                if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
                if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                    depth -= 1
                    if depth <= 0 { return index + 1 }
                }
            }
            index += 1
        }
        return end
    }

    private func beginsValue(_ index: Int) -> Bool {
        index < end && (bytes[index] == UInt8(ascii: "{") || bytes[index] == UInt8(ascii: "["))
    }
}
