/// An incremental parser for `multipart/form-data` bodies (RFC 7578; RFC 2046, section 5.1) of any
/// size.
///
/// Pass bytes to ``receive(_:)``, then call ``next()`` until it returns `nil`. It buffers at most
/// one piece of input and the longest header, and examines each byte a bounded number of times,
/// however small the pieces are.
struct MultipartReader {
    enum Event: Hashable {
        /// The start of a part.
        case part(name: String, fileName: String?)
        /// A piece of its content.
        case content([UInt8])
        case endOfPart
        case endOfBody
    }

    enum Failure: String, Error, CustomStringConvertible {
        case unterminatedBoundary = "a boundary line is not terminated"
        case headersTooLong = "the headers of a part are too long"
        case missingName = "a part has no name in Content-Disposition"

        var description: String { rawValue }
    }

    /// The maximum length of a part's headers, and of the rest of a delimiter line, in bytes.
    static let headersLimit = 16 << 10
    /// The maximum length of a boundary, in bytes (RFC 2046, section 5.1.1).
    static let boundaryLimit = 70

    private enum State { case betweenParts, delimiterLine, headers, content, ended }

    private static let lineBreak: [UInt8] = [0x0d, 0x0a]

    private let delimiter: [UInt8]
    /// Received bytes. They start with a line break, so that the first delimiter has the form of
    /// all others.
    private var pending = lineBreak
    private var position = 0
    /// The position before which the searched pattern does not start.
    private var searched = 0
    private var state = State.betweenParts
    /// Whether the line break between headers and content has been passed.
    private var skippedBreak = false

    /// Returns `nil` if the boundary is not 1 to ``boundaryLimit`` bytes long.
    ///
    /// - Parameter boundary: The parameter of `Content-Type`.
    init?(boundary: String) {
        guard 1...Self.boundaryLimit ~= boundary.utf8.count else { return nil }
        delimiter = Self.lineBreak + Array("--\(boundary)".utf8)
    }

    mutating func receive(_ bytes: some Sequence<UInt8>) {
        pending.removeFirst(position)
        searched = max(searched - position, 0)
        position = 0
        pending.append(contentsOf: bytes)
    }

    /// Returns the next event, or `nil` if more bytes are needed.
    mutating func next() throws(Failure) -> Event? {
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

    /// Whether the end of the body was received.
    var isComplete: Bool { state == .ended }

    private mutating func enter(_ state: State, at position: Int) {
        self.state = state
        self.position = position
        searched = position
    }

    private mutating func skipToDelimiter() -> Bool {
        guard let start = find(delimiter) else {
            position = searched
            return false
        }
        enter(.delimiterLine, at: start + delimiter.count)
        return true
    }

    /// Skips the rest of a delimiter line, which may contain padding.
    private mutating func skipDelimiterLine() throws(Failure) -> Bool {
        guard pending.count >= position + 2 else { return false }
        if pending[position...].starts(with: [UInt8(ascii: "-"), UInt8(ascii: "-")]) {
            enter(.ended, at: position + 2)
            return true
        }
        guard let end = find(Self.lineBreak) else {
            guard pending.count - position < Self.headersLimit
            else { throw Failure.unterminatedBoundary }
            return false
        }
        // For a part without headers, the line break is also the start of the empty line.
        enter(.headers, at: end)
        return true
    }

    private mutating func headers() throws(Failure) -> Event? {
        guard let end = find(Self.lineBreak + Self.lineBreak) else {
            guard pending.count - position < Self.headersLimit
            else { throw Failure.headersTooLong }
            return nil
        }
        let disposition = ContentDisposition(headers: pending[position..<end])
        guard let name = disposition.name
        else { throw Failure.missingName }
        // If the part is empty, the rest of the line break may start the next delimiter.
        enter(.content, at: end + 2)
        skippedBreak = false
        return .part(name: name, fileName: disposition.fileName)
    }

    private mutating func content() -> Event? {
        let delimiterStart = find(delimiter)
        let end = delimiterStart ?? searched
        // An empty part ends with the line break of its headers.
        if !skippedBreak, end > position {
            guard end >= position + 2 else { return nil }
            position += 2
            skippedBreak = true
        }
        if end > position {
            defer { position = end }
            return .content(Array(pending[position..<end]))
        }
        guard let delimiterStart else { return nil }
        enter(.delimiterLine, at: delimiterStart + delimiter.count)
        return .endOfPart
    }

    /// Returns the first match of `pattern` after ``position``. Later calls continue where a failed
    /// search ended.
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
