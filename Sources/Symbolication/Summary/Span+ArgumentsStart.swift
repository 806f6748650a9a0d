/// The search for the arguments of a function whose name is ASCII.
///
/// Each byte is a character, so no boundaries of characters have to be found.
extension Span<UInt8> {
    /// The number of bytes before the arguments, see ``SymbolicatedFrame/codeFunctionName``.
    var argumentsStart: Int {
        // The symbols of a C++ operator are part of its name.
        if let end = endOfOperatorKeyword {
            let isCall = end + 1 < count && self[end] == .open && self[end + 1] == .close
            return first(.open, from: isCall ? end + 2 : end)
        }
        var depth = 0
        var before = UInt8(ascii: " ")
        for index in indices {
            let byte = self[index]
            if byte == UInt8(ascii: "<") { depth += 1 }
            if byte == UInt8(ascii: ">"), before != UInt8(ascii: "-") { depth -= 1 }
            if byte == .open, depth == 0, before.endsName { return index }
            before = byte
        }
        return count
    }

    private var endOfOperatorKeyword: Int? {
        var start = 0
        while start + operatorKeyword.count <= count {
            var length = 0
            while length < operatorKeyword.count, self[start + length] == operatorKeyword[length] {
                length += 1
            }
            if length == operatorKeyword.count { return start + length }
            start += 1
        }
        return nil
    }

    private func first(_ wanted: UInt8, from start: Int) -> Int {
        for index in start..<count where self[index] == wanted { return index }
        return count
    }
}

private let operatorKeyword = Array("operator".utf8)

extension UInt8 {
    fileprivate static let open = UInt8(ascii: "(")
    fileprivate static let close = UInt8(ascii: ")")

    /// Whether a name may end with this character.
    fileprivate var endsName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ">"),
            UInt8(ascii: "$"):
            true
        default: false
        }
    }
}
