/// A placeholder for a name that a bitcode build hid, such as `__hidden#12_`. Its number is a line
/// of a ``BitcodeSymbolMap``.
struct PlaceholderName {
    /// The line in the map, counted from 0.
    let number: Int
    /// Whether Mach-O's underscore was removed from the symbol, while the name in the map still has
    /// it.
    let lacksUnderscore: Bool

    /// Returns `nil` for a real name.
    init?(_ name: Span<UInt8>) {
        var position = 0
        while position < min(name.count, 3), name[position] == UInt8(ascii: "_") { position += 1 }
        lacksUnderscore = position == 1
        for byte in Self.mark {
            guard position < name.count, name[position] == byte else { return nil }
            position += 1
        }
        guard let number = Self.number(of: name, from: position) else { return nil }
        self.number = number
    }

    /// Returns the value of digits that are followed by an underscore or the end.
    private static func number(of name: Span<UInt8>, from start: Int) -> Int? {
        var number = 0
        var position = start
        while position < name.count, case let digit = name[position] &- UInt8(ascii: "0"),
            digit < 10
        {
            guard position - start < digitLimit else { return nil }
            number = 10 * number + Int(digit)
            position += 1
        }
        let isEnded = position == name.count || name[position] == UInt8(ascii: "_")
        return position > start && isEnded ? number : nil
    }

    private static let mark = Array("hidden#".utf8)
    /// The maximum number of digits. No map has a billion names.
    private static let digitLimit = 9
}

/// The number of placeholders among the names of a file.
struct PlaceholderCount: Hashable {
    private(set) var count = 0
    /// The highest number of a placeholder.
    private(set) var highest = 0

    mutating func add(_ name: Span<UInt8>) {
        guard let placeholder = PlaceholderName(name) else { return }
        count += 1
        highest = max(highest, placeholder.number)
    }

    /// Adds the names of a string table, each terminated by a zero byte.
    mutating func add(table: Span<UInt8>) {
        var start = 0
        for position in table.indices where table[position] == 0 {
            add(table.extracting(start..<position))
            start = position + 1
        }
    }
}
