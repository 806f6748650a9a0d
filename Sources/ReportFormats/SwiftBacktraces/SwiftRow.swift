/// A row of a thread's table: an index, attributes, an address and its description.
///
///       2 [ra] [system] 0x00005621f26ab71a main + 57 in orchard at /src/main.swift:8:23
///      47               ...
package struct SwiftRow: Hashable, Sendable {
    /// The kind of address.
    enum Site: Hashable, Sendable { case programCounter, returnAddress, resumePoint }

    /// The index, or `nil` for omitted frames without a number.
    var index: Int?
    /// The attributes without brackets.
    var attributes: [String]
    /// The address, or `nil` for omitted frames and in the friendly preset, which shows none.
    var address: Address?
    /// The text after the address; may be empty.
    var rest: String
    /// Whether it is a frame, rather than a gap between frames.
    var isFrame: Bool { address != nil || !rest.isEmpty }

    struct Address: Hashable, Sendable {
        var value: UInt64
        /// The address as written.
        var text: String
    }

    var isInlined: Bool { attributes.contains("inlined") }

    var site: Site {
        if attributes.contains("ra") { return .returnAddress }
        return attributes.contains("async") ? .resumePoint : .programCounter
    }

    /// Returns `nil` if the line is not a row.
    package init?(_ line: [UInt8]) {
        var words = LineScanner(line)
        words.skipBlanks()
        if words.skip("...") {
            guard words.isAtBlankEnd else { return nil }
            self.init(index: nil, attributes: [], address: nil, rest: "")
            return
        }
        guard let index = words.decimal(), words.skipBlanks() > 0 else { return nil }
        let attributes = words.attributes()
        if words.skip("...") {
            guard words.isAtBlankEnd else { return nil }
            self.init(index: index, attributes: [], address: nil, rest: "")
            return
        }
        guard let address = words.address() else { return nil }
        self.init(index: index, attributes: attributes, address: address, rest: words.rest)
    }

    /// Reads a row of the friendly preset, which has a function and its image:
    /// `  1 share(_:) + 169 in orchard at /src/main.swift:13:16`.
    init?(withoutAddress line: [UInt8]) {
        var words = LineScanner(line)
        words.skipBlanks()
        guard let index = words.decimal(), words.skipBlanks() > 0 else { return nil }
        let attributes = words.attributes()
        let text = SwiftRowText(words.rest, images: [])
        guard text.image != nil, text.location != nil || text.distance != nil else { return nil }
        self.init(index: index, attributes: attributes, address: nil, rest: words.rest)
    }

    private init(index: Int?, attributes: [String], address: Address?, rest: String) {
        self.index = index
        self.attributes = attributes
        self.address = address
        self.rest = rest
    }
}

/// Reads a line from left to right.
struct LineScanner {
    private var line: ArraySlice<UInt8>

    init(_ line: some Collection<UInt8>) { self.line = Array(line)[...] }

    /// Whether only blanks are left.
    var isAtBlankEnd: Bool { line.allSatisfy(\.isBlank) }

    /// The rest of the line, without surrounding blanks.
    var rest: String { line.trimmed.text }

    @discardableResult
    mutating func skipBlanks() -> Int {
        let count = line.prefix(while: \.isBlank).count
        line = line.dropFirst(count)
        return count
    }

    mutating func skip(_ text: String) -> Bool {
        guard line.begins(with: text) else { return false }
        line = line.dropFirst(text.utf8.count)
        return true
    }

    /// Reads a number of at most nine digits.
    mutating func decimal() -> Int? {
        let digits = line.prefix(while: \.isDigit)
        guard (1...9).contains(digits.count), let value = Int(digits.text) else { return nil }
        line = line.dropFirst(digits.count)
        return value
    }

    /// Reads an address of 8 to 16 digits with `0x` before it, followed by a blank or the end.
    mutating func address() -> SwiftRow.Address? {
        guard line.begins(with: "0x") else { return nil }
        let digits = line.dropFirst(2).prefix { $0.hexDigitValue != nil }
        guard (8...16).contains(digits.count), let value = UInt64(digits.text, radix: 16)
        else { return nil }
        let text = line.prefix(2 + digits.count)
        guard line.dropFirst(text.count).first.map(\.isBlank) ?? true else { return nil }
        line = line.dropFirst(text.count)
        return SwiftRow.Address(value: value, text: text.text)
    }

    /// The limits on attributes. Without them, one row with many attributes would widen the column
    /// in every row of its table.
    private static let attributesLimit = 8
    private static let attributeLimit = 16
    static let attributesByteCount = attributesLimit * (attributeLimit + 3)

    /// Reads words in brackets.
    mutating func attributes() -> [String] {
        var attributes: [String] = []
        while line.first == UInt8(ascii: "["), attributes.count < Self.attributesLimit {
            let word = line.dropFirst().prefix {
                $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z")
            }
            guard !word.isEmpty, word.count <= Self.attributeLimit,
                line.dropFirst(1 + word.count).first == UInt8(ascii: "]")
            else { break }
            attributes.append(word.text)
            line = line.dropFirst(2 + word.count)
            skipBlanks()
        }
        return attributes
    }
}
