import CallStacks
import JSONText

/// An integer field of a frame: a JSON number, or a string with a decimal or `0x` number.
enum ReceivedInteger {
    case value(UInt64)
    case negative
    /// A fraction, a value of more than 64 bits, or not a number.
    case outOfRange

    init(_ value: JSONValue) { self.init(at: value.valueIndex, in: value.document) }

    init(at value: JSONValueIndex, in document: JSONDocument) {
        switch document.number(at: value) {
        case .unsigned(let number): self = .value(number)
        case .negative: self = .negative
        case .real: self = .outOfRange
        case nil: self.init(text: document.value(at: value).string ?? "")
        }
    }

    private init(text: String) {
        let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : nil
        if let digits, digits.first != "-", digits.first != "+",
            let number = UInt64(digits, radix: 16)
        {
            self = .value(number)
        } else if let number = UInt64(text) {
            self = .value(number)
        } else {
            self = Int64(text).map { $0 < 0 } == true ? .negative : .outOfRange
        }
    }

    /// Returns the value, or `nil` with the reason added to `remarks`.
    func unsigned(_ remarks: inout [Remark], ifNegative: Remark = .numberOutOfRange) -> UInt64? {
        switch self {
        case .value(let number): return number
        case .negative: remarks.add(ifNegative)
        case .outOfRange: remarks.add(.numberOutOfRange)
        }
        return nil
    }
}
