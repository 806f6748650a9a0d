/// The contents of a diagnostic's record that entries sent, oldest first.
///
/// An entry may be processed again for a lagging exporter, after symbols have arrived and later
/// entries have sent newer revisions. Each entry then sends its own revision again, so that a
/// receiver gets all of them.
public struct RevisionHistory: Hashable, Sendable {
    private var contents: [SentContent] = []

    /// The maximum number of contents. The oldest ones are forgotten.
    static let limit = 32

    public init() {}

    /// Returns the last content that an entry sent, or `nil` if none is known.
    func content(sentBy entry: Int64) -> SentContent? { contents.last { $0.entry == entry } }

    /// Adds the content that an entry sends. Content without a digest cannot be recognised, and is
    /// not added.
    mutating func add(_ revision: SentRevision, _ view: SymbolView, sentBy entry: Int64) {
        guard let digest = revision.digest else { return }
        contents.append(
            SentContent(entry: entry, number: revision.number, digest: digest, view: view))
        contents.removeFirst(max(contents.count - Self.limit, 0))
    }

    /// Returns the history with the entries' numbers in another journal. Entries without a number
    /// are omitted.
    package func renumbered(_ number: (Int64) -> Int64?) -> Self {
        var other = Self()
        other.contents = contents.compactMap { content in
            number(content.entry).map { entry in
                var moved = content
                moved.entry = entry
                return moved
            }
        }
        return other
    }
}

/// The content of a record that an entry sent.
struct SentContent: Hashable, Sendable {
    var entry: Int64
    /// The number of the revision.
    let number: Int
    let digest: RecordDigest
    let view: SymbolView
}

extension RevisionHistory {
    /// The stored form of each content, one after another.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(contents.count * SentContent.length)
        for content in contents { content.write(to: &bytes) }
        return bytes
    }

    /// Reads ``bytes``. An incomplete content at the end is ignored.
    public init(bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        while let content = SentContent(rest.prefix(SentContent.length)) {
            contents.append(content)
            rest.removeFirst(SentContent.length)
        }
    }
}

/// The stored form, big-endian:
///
///     entry, 8 bytes | number, 4 bytes | found, 8 bytes | unreadable, 8 bytes | listed, 8 bytes |
///     digest, 16 bytes
extension SentContent {
    static let length = 36 + RecordDigest.length

    /// Reads the stored form, or returns `nil` if it is shorter.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count == Self.length,
            let digest = RecordDigest(bytes: Array(bytes.suffix(RecordDigest.length)))
        else { return nil }
        var rest = bytes
        func next<Number: FixedWidthInteger>() -> Number {
            let count = Number.bitWidth / 8
            defer { rest.removeFirst(count) }
            return Number(bigEndianBytes: rest.prefix(count))
        }
        let (entry, number): (Int64, UInt32) = (next(), next())
        self.init(
            entry: entry, number: Int(number), digest: digest,
            view: SymbolView(found: next(), unreadable: next(), listed: next()))
    }

    func write(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: entry)
        bytes.append(bigEndian: UInt32(clamping: number))
        bytes.append(bigEndian: view.found)
        bytes.append(bigEndian: view.unreadable)
        bytes.append(bigEndian: view.listed)
        bytes += digest.bytes
    }
}
