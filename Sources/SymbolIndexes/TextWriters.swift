/// Writes names in groups of eight, each but the first of a group as what differs from the one before.
struct NameWriter {
    private(set) var count = 0
    private(set) var groups: [UInt8] = []
    private(set) var bytes: [UInt8] = []
    private var last: Range<Int> = 0..<0

    /// Adds the string at `range` of `source`, which is the same for all names.
    mutating func append(_ range: Range<Int>, of source: borrowing [UInt8]) {
        if count % IndexLayout.namesPerGroup == 0 {
            groups.append(littleEndian: UInt32(bytes.count))
            bytes.append(leb128: UInt64(range.count))
            bytes.append(contentsOf: source[range])
        } else {
            let limit = min(range.count, last.count)
            var shared = 0
            while shared < limit,
                source[range.lowerBound + shared] == source[last.lowerBound + shared]
            { shared += 1 }
            bytes.append(leb128: UInt64(shared))
            bytes.append(leb128: UInt64(range.count - shared))
            bytes.append(contentsOf: source[range.dropFirst(shared)])
        }
        last = range
        count += 1
    }
}

/// Writes files, and each text that they are made of once, when it is first needed.
struct FileWriter {
    private(set) var count = 0
    private(set) var files: [UInt8] = []
    private(set) var strings: [UInt8] = []
    /// Where each text stands in ``strings``.
    private var places: [UInt32?]

    init(textCount: Int) { places = Array(repeating: nil, count: textCount) }

    mutating func append(_ entry: SourceFileTable.Entry, of texts: borrowing ByteInterner) {
        files.append(littleEndian: place(of: entry.folder, texts))
        files.append(littleEndian: place(of: entry.name, texts))
        count += 1
    }

    private mutating func place(of text: UInt32, _ texts: borrowing ByteInterner) -> UInt32 {
        if let place = places[Int(text)] { return place }
        let place = UInt32(strings.count)
        strings.append(contentsOf: texts.bytes[texts.range(of: text)])
        strings.append(0)
        places[Int(text)] = place
        return place
    }
}
