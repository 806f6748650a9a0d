/// Reads a `multipart/form-data` body as it arrives (RFC 7578; RFC 2046, section 5.1), however large.
///
/// Give it bytes with ``receive(_:)`` and take what they mean with ``next()`` until there is nothing
/// more. At most one piece of input and the longest header are kept, and each byte is looked at a
/// bounded number of times, however small the pieces are.
struct MultipartReader {
    enum Event: Hashable {
        /// A part begins.
        case part(name: String, fileName: String?)
        /// More of its content.
        case content([UInt8])
        case endOfPart
        case endOfBody
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    /// How long the headers of one part may be, and the rest of a delimiter's line, in bytes.
    static let headersLimit = 16 << 10
    /// How long a boundary may be, in bytes (RFC 2046, section 5.1.1).
    static let boundaryLimit = 70

    private enum State { case betweenParts, delimiterLine, headers, content, ended }

    private static let lineBreak: [UInt8] = [0x0d, 0x0a]

    private let delimiter: [UInt8]
    /// Begins with a line break, so that the first delimiter looks like all others.
    private var pending = lineBreak
    private var place = 0
    /// Up to here it is known that what is looked for does not begin.
    private var searched = 0
    private var state = State.betweenParts
    /// Whether the line break between headers and content has been passed.
    private var skippedBreak = false

    /// - Parameter boundary: The parameter of `Content-Type`: 1 to ``boundaryLimit`` bytes.
    init?(boundary: String) {
        guard 1...Self.boundaryLimit ~= boundary.utf8.count else { return nil }
        delimiter = Self.lineBreak + Array("--\(boundary)".utf8)
    }

    mutating func receive(_ bytes: some Sequence<UInt8>) {
        pending.removeFirst(place)
        searched = max(searched - place, 0)
        place = 0
        pending.append(contentsOf: bytes)
    }

    /// What comes next; `nil` until more bytes are received.
    mutating func next() throws(Malformed) -> Event? {
        while true {
            switch state {
            case .betweenParts: guard skipToDelimiter() else { return nil }
            case .delimiterLine:
                guard try skipDelimiterLine() else { return nil }
                if state == .ended { return .endOfBody }
            case .headers: return try headers()
            case .content: return content()
            case .ended: return nil
            }
        }
    }

    /// Whether the body came to its end.
    var isComplete: Bool { state == .ended }

    private mutating func enter(_ state: State, at place: Int) {
        self.state = state
        self.place = place
        searched = place
    }

    private mutating func skipToDelimiter() -> Bool {
        guard let start = find(delimiter) else {
            place = searched
            return false
        }
        enter(.delimiterLine, at: start + delimiter.count)
        return true
    }

    /// To the end of a delimiter's line, where padding may stand.
    private mutating func skipDelimiterLine() throws(Malformed) -> Bool {
        guard pending.count >= place + 2 else { return false }
        if pending[place...].starts(with: [UInt8(ascii: "-"), UInt8(ascii: "-")]) {
            enter(.ended, at: place + 2)
            return true
        }
        guard let end = find(Self.lineBreak) else {
            guard pending.count - place < Self.headersLimit
            else { throw Malformed(description: "a boundary has no end of line") }
            return false
        }
        // The line break also begins the empty line of a part without headers.
        enter(.headers, at: end)
        return true
    }

    private mutating func headers() throws(Malformed) -> Event? {
        guard let end = find(Self.lineBreak + Self.lineBreak) else {
            guard pending.count - place < Self.headersLimit
            else { throw Malformed(description: "the headers of a part are too long") }
            return nil
        }
        let disposition = ContentDisposition(headers: pending[place..<end])
        guard let name = disposition.name
        else { throw Malformed(description: "a part has no name in Content-Disposition") }
        // What is left of the line break may begin the next delimiter, where a part is empty.
        enter(.content, at: end + 2)
        skippedBreak = false
        return .part(name: name, fileName: disposition.fileName)
    }

    private mutating func content() -> Event? {
        let delimiterStart = find(delimiter)
        let end = delimiterStart ?? searched
        // An empty part ends with the break that its headers ended with.
        if !skippedBreak, end > place {
            guard end >= place + 2 else { return nil }
            place += 2
            skippedBreak = true
        }
        if end > place {
            defer { place = end }
            return .content(Array(pending[place..<end]))
        }
        guard let delimiterStart else { return nil }
        enter(.delimiterLine, at: delimiterStart + delimiter.count)
        return .endOfPart
    }

    /// Where `pattern` begins behind ``place``; what was searched in vain is not searched again.
    private mutating func find(_ pattern: [UInt8]) -> Int? {
        while searched + pattern.count <= pending.count {
            if pending[searched] == pattern[0],
                pending[searched..<searched + pattern.count].elementsEqual(pattern)
            {
                return searched
            }
            searched += 1
        }
        return nil
    }
}
