/// Reads a `multipart/form-data` body as it arrives (RFC 7578; RFC 2046, section 5.1), however large.
///
/// Give it bytes with ``receive(_:)`` and take what they mean with ``next()`` until there is nothing
/// more. At most one piece of input and the longest delimiter are kept.
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

    /// How long the headers of one part may be, in bytes.
    static let headersLimit = 16 << 10

    private enum State { case betweenParts, headers, content, ended }

    private let delimiter: [UInt8]
    /// Begins with a line break, so that the first delimiter looks like all others.
    private var pending: [UInt8] = [0x0d, 0x0a]
    private var place = 0
    private var state = State.betweenParts

    /// - Parameter boundary: The parameter of `Content-Type`.
    init(boundary: String) { delimiter = [0x0d, 0x0a] + Array("--\(boundary)".utf8) }

    mutating func receive(_ bytes: some Sequence<UInt8>) {
        pending.removeFirst(place)
        place = 0
        pending.append(contentsOf: bytes)
    }

    /// What comes next; `nil` until more bytes are received.
    mutating func next() throws(Malformed) -> Event? {
        switch state {
        case .betweenParts: try nextPart()
        case .headers: try headers()
        case .content: content()
        case .ended: nil
        }
    }

    /// Whether the body came to its end.
    var isComplete: Bool { state == .ended }

    /// Skips to the delimiter, and to the end of its line.
    private mutating func nextPart() throws(Malformed) -> Event? {
        guard let start = delimiterStart() else {
            place = max(place, pending.count - delimiter.count)
            return nil
        }
        let after = start + delimiter.count
        guard pending.count >= after + 2 else { return nil }
        if pending[after] == UInt8(ascii: "-"), pending[after + 1] == UInt8(ascii: "-") {
            state = .ended
            return .endOfBody
        }
        guard let lineEnd = find([0x0d, 0x0a], from: after) else {
            guard pending.count - after < Self.headersLimit
            else { throw Malformed(description: "a boundary has no end of line") }
            return nil
        }
        // The line break also begins the empty line of a part without headers.
        place = lineEnd
        state = .headers
        return try headers()
    }

    private mutating func headers() throws(Malformed) -> Event? {
        guard let end = find([0x0d, 0x0a, 0x0d, 0x0a], from: place) else {
            guard pending.count - place < Self.headersLimit
            else { throw Malformed(description: "the headers of a part are too long") }
            return nil
        }
        let text = String(decoding: pending[place..<end], as: UTF8.self)
        // What is left of the line break may begin the next delimiter, where a part is empty.
        place = end + 2
        state = .content
        let disposition = Disposition(headers: text)
        guard let name = disposition.name
        else { throw Malformed(description: "a part has no name in Content-Disposition") }
        skippedBreak = false
        return .part(name: name, fileName: disposition.fileName)
    }

    /// Whether the line break between headers and content has been passed.
    private var skippedBreak = false

    private mutating func content() -> Event? {
        if let start = delimiterStart() {
            if !skippedBreak, start == place {
                skippedBreak = true
            } else {
                passBreak()
                if start > place {
                    defer { place = start }
                    return .content(Array(pending[place..<start]))
                }
            }
            state = .betweenParts
            return .endOfPart
        }
        let safe = pending.count - delimiter.count
        guard safe > place + 2 else { return nil }
        passBreak()
        defer { place = safe }
        return .content(Array(pending[place..<safe]))
    }

    private mutating func passBreak() {
        guard !skippedBreak else { return }
        place += 2
        skippedBreak = true
    }

    private func delimiterStart() -> Int? { find(delimiter, from: place) }

    private func find(_ pattern: [UInt8], from start: Int) -> Int? {
        var from = start
        while from + pattern.count <= pending.count,
            let first = pending[from...].firstIndex(of: pattern[0]),
            first + pattern.count <= pending.count
        {
            if pending[first..<first + pattern.count].elementsEqual(pattern) { return first }
            from = first + 1
        }
        return nil
    }
}

/// `Content-Disposition: form-data; name="file"; filename="Shop.app.dSYM.zip"`
private struct Disposition {
    var name: String?
    var fileName: String?

    init(headers: String) {
        let lines = headers.split(whereSeparator: \.isNewline)
        let prefix = "content-disposition:"
        guard let line = lines.first(where: { $0.lowercased().hasPrefix(prefix) }) else { return }
        name = Self.parameter("name", of: line)
        fileName = Self.parameter("filename", of: line)
    }

    private static func parameter(_ name: String, of line: Substring) -> String? {
        for part in line.split(separator: ";").dropFirst() {
            let words = part.split(separator: "=", maxSplits: 1)
            guard words.count == 2,
                words[0].trimmingPrefix(while: \.isWhitespace).lowercased() == name
            else { continue }
            let value = words[1].trimmingPrefix(while: \.isWhitespace)
            return value.hasPrefix("\"") && value.hasSuffix("\"") && value.count > 1
                ? String(value.dropFirst().dropLast()) : String(value)
        }
        return nil
    }
}
