import ByteReading

/// Writes names in groups of eight, front-coded: each name has only its difference from the
/// previous one.
struct NameWriter {
    private(set) var count = 0
    private(set) var groups: [UInt8] = []
    private(set) var bytes: [UInt8] = []
    private var last: UInt32 = 0

    /// - Parameter room: The approximate size in bytes.
    init(room: Int) { bytes.reserveCapacity(room) }

    /// Adds a name of `names`, which must be the same in all calls.
    mutating func append(_ name: UInt32, of names: borrowing ByteInterner) {
        let length = names.length(of: name)
        var shared = 0
        if count % IndexLayout.namesPerGroup == 0 {
            groups.append(littleEndian: UInt32(truncatingIfNeeded: bytes.count))
        } else {
            shared = names.sharedCount(last, name)
            bytes.append(uleb128: UInt64(shared))
        }
        bytes.append(uleb128: UInt64(length - shared))
        names.withText(name) { bytes.append($0.extracting(shared..<length)) }
        last = name
        count += 1
    }
}

/// Writes files, and each of their texts once, on first use.
struct FileWriter {
    private(set) var count = 0
    private(set) var files: [UInt8] = []
    private(set) var strings: [UInt8] = []
    /// The position of each text in ``strings``, or `nil` if it is not written yet.
    private var offsets: [UInt32?]

    init(textCount: Int) { offsets = Array(repeating: nil, count: textCount) }

    mutating func append(_ entry: SourceFileTable.Entry, of texts: borrowing ByteInterner) {
        files.append(littleEndian: offset(of: entry.folder, texts: texts))
        files.append(littleEndian: offset(of: entry.name, texts: texts))
        count += 1
    }

    private mutating func offset(of text: UInt32, texts: borrowing ByteInterner) -> UInt32 {
        if let offset = offsets[Int(text)] { return offset }
        let offset = UInt32(strings.count)
        texts.withText(text) { strings.append($0) }
        strings.append(0)
        offsets[Int(text)] = offset
        return offset
    }
}
