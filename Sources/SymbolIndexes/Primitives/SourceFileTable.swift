/// Source files, each stored once as the numbers of its folder and its last component.
struct SourceFileTable: Sendable {
    /// A file by the numbers of its texts.
    struct Entry: Hashable, Sendable {
        var folder: UInt32
        var name: UInt32
    }

    private(set) var texts = ByteInterner()
    private(set) var entries: [Entry] = []
    private var numbers: [Entry: UInt32] = [:]

    init() { _ = texts.number(of: [UInt8]().span) }

    mutating func number(of name: Span<UInt8>, folder: Span<UInt8>) -> UInt32 {
        number(
            of: Entry(
                folder: texts.number(of: folder.extracting(0..<Self.keptCount(folder))),
                name: texts.number(of: name.extracting(0..<Self.keptCount(name)))))
    }

    private mutating func number(of entry: Entry) -> UInt32 {
        if let known = numbers[entry] { return known }
        let number = UInt32(entries.count)
        entries.append(entry)
        numbers[entry] = number
        return number
    }

    /// Adds the files of `other`, and returns the new number of each.
    mutating func merge(_ other: Self) -> [UInt32] {
        let textNumbers = texts.merge(other.texts)
        return other.entries.map { entry in
            number(
                of: Entry(
                    folder: textNumbers[Int(entry.folder)], name: textNumbers[Int(entry.name)]))
        }
    }

    /// Returns the numbers of all files, in byte order of folder, then last component.
    func numbersInOrder() -> [UInt32] {
        var ranks = [UInt32](repeating: 0, count: texts.count)
        for (rank, number) in texts.numbersInOrder().enumerated() {
            ranks[Int(number)] = UInt32(rank)
        }
        func key(_ number: UInt32) -> UInt64 {
            let entry = entries[Int(number)]
            return UInt64(ranks[Int(entry.folder)]) << 32 | UInt64(ranks[Int(entry.name)])
        }
        let keyed = (0..<UInt32(entries.count)).map { (key: key($0), number: $0) }
        return keyed.sorted { $0.key < $1.key }.map(\.number)
    }

    /// Whether a file precedes another, in byte order of folder, then last component.
    func precedes(_ left: UInt32, _ right: UInt32) -> Bool {
        let (left, right) = (entries[Int(left)], entries[Int(right)])
        return left.folder != right.folder
            ? texts.precedes(left.folder, right.folder) : texts.precedes(left.name, right.name)
    }

    /// Returns the length of a text that the format can store: up to the limit, or to a zero.
    private static func keptCount(_ text: Span<UInt8>) -> Int {
        let limit = min(text.count, IndexLimits.pathBytes)
        return (0..<limit).first { text[$0] == 0 } ?? limit
    }
}
