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
        var place = 0
        while place < min(name.count, 3), name[place] == UInt8(ascii: "_") { place += 1 }
        lacksUnderscore = place == 1
        for byte in Self.mark {
            guard place < name.count, name[place] == byte else { return nil }
            place += 1
        }
        guard let number = Self.number(of: name, from: place) else { return nil }
        self.number = number
    }

    /// Returns the value of digits that are followed by an underscore or the end.
    private static func number(of name: Span<UInt8>, from start: Int) -> Int? {
        var number = 0
        var place = start
        while place < name.count, case let digit = name[place] &- UInt8(ascii: "0"), digit < 10 {
            guard place - start < digitLimit else { return nil }
            number = 10 * number + Int(digit)
            place += 1
        }
        let isEnded = place == name.count || name[place] == UInt8(ascii: "_")
        return place > start && isEnded ? number : nil
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
        for place in table.indices where table[place] == 0 {
            add(table.extracting(start..<place))
            start = place + 1
        }
    }
}
