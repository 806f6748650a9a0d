import CallStacks

/// The description of an address in a row: function, image and source location.
///
///     closure #1 in weigh(_:) + 148 in orchard at /src/main.swift:8:23
struct SwiftRowText: Hashable, Sendable {
    /// The runtime's name for an unknown function in a known image.
    static let unknownName = "<unknown>"

    var name: String
    /// The distance after the name, with its sign: `+ 148`.
    var distance: String?
    var image: String?
    /// A path, with line and column if known.
    var location: String?

    init(name: String, distance: String? = nil, image: String? = nil, location: String? = nil) {
        self.name = name
        self.distance = distance
        self.image = image
        self.location = location
    }

    /// - Parameter images: The names of the report's images. Names of functions and folders may
    ///   contain ` in ` too. The last one before the name of a listed image is used, or else the
    ///   last one.
    init(_ text: String, images: Set<String>) {
        let bytes = Array(text.utf8)
        let splits = bytes.count <= Self.lengthLimit ? Self.splits(bytes) : []
        let split =
            splits.last { images.contains(bytes[$0.image].text) } ?? splits.last
        let named = split.map { bytes[..<$0.nameEnd] } ?? bytes[...]
        (name, distance) = Self.nameAndDistance(named)
        image = split.map { bytes[$0.image].text }
        location = split?.location.map { bytes[$0...].text }
    }

    private struct Split {
        var nameEnd: Int
        var image: Range<Int>
        var location: Int?
    }

    /// The maximum length of a row in bytes; a longer one counts as a name.
    private static let lengthLimit = 1 << 16
    /// The maximum number of possible splits considered, so that long rows stay cheap.
    private static let splitsLimit = 64

    /// Returns every way to split the text into a name and an image.
    private static func splits(_ text: [UInt8]) -> [Split] {
        var splits: [Split] = []
        var position = 0
        for _ in 0..<splitsLimit {
            guard let found = text.position(of: " in ", from: position) else { break }
            position = found + 1
            let start = found + 4
            let location = text.position(of: " at ", from: start)
            let end = location ?? text.count
            guard start < end, !text[start..<end].contains(UInt8(ascii: "/")) else { continue }
            splits.append(
                Split(nameEnd: found, image: start..<end, location: location.map { $0 + 4 }))
        }
        return splits
    }

    private static func nameAndDistance(_ text: ArraySlice<UInt8>) -> (String, String?) {
        let digits = text.reversed().prefix(while: \.isDigit).count
        let sign = text.endIndex - digits - 3
        guard digits > 0, sign > text.startIndex,
            text.begins(with: " + ", at: sign) || text.begins(with: " - ", at: sign)
        else { return (text.text, nil) }
        return (text[..<sign].text, text[(sign + 1)...].text)
    }
}

extension SwiftRowText {
    /// Returns the row's function, or `nil` if it names none.
    func given(isInlined: Bool) -> ReportedFunction? {
        let name = nameWithoutTruncatedEnd
        // A truncated row may have only the start of the runtime's name.
        guard !name.isEmpty, !Self.unknownName.hasPrefix(name) else { return nil }
        var given = ReportedFunction(name: name, isInlined: isInlined)
        if let distance, distance.hasPrefix("+ ") { given.distance = UInt64(distance.dropFirst(2)) }
        guard let location else { return given }
        let source = SwiftSourceLocation(location)
        if source.path.hasSuffix(SourceFile.compilerGeneratedPath) { return given }
        given.file = SourceFile(given: source.path)
        given.line = source.line
        given.column = source.column
        return given
    }

    /// The name without the start of ` + 8 in` at the end of a truncated row.
    private var nameWithoutTruncatedEnd: String {
        guard image == nil, distance == nil else { return name }
        let word = [" in", " i"].first(where: name.hasSuffix)
        return String(name.dropLast(word?.count ?? 0)).withoutTruncatedDistance
    }
}

/// A path, with line and column after it.
struct SwiftSourceLocation {
    var path: String
    var line: UInt32 = 0
    var column: UInt32 = 0

    init(_ text: String) {
        path = text
        guard let last = Self.number(&path) else { return }
        line = last
        guard let first = Self.number(&path) else { return }
        (line, column) = (first, last)
    }

    /// Removes `:8` from the end of a path.
    private static func number(_ path: inout String) -> UInt32? {
        guard let colon = path.utf8.lastIndex(of: UInt8(ascii: ":")),
            let value = UInt32(path[path.utf8.index(after: colon)...])
        else { return nil }
        path = String(path[..<colon])
        return value
    }
}
