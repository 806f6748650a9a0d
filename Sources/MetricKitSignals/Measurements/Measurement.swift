package import JSONText

/// A quantity that a payload has as text: `1,000 ms`, `20 secs.`, `1,106,818千字节`.
///
/// Older systems wrote it in the user's language, with localised digits and separators; newer ones
/// write English and round to whole units. Nothing is guessed: a text with an unknown number format
/// or unit is invalid.
package struct Measurement: Hashable, Sendable {
    /// The measured dimension, which determines the valid units.
    package enum Dimension: Hashable, Sendable, CaseIterable {
        /// A time, in seconds.
        case duration
        /// A size, in bytes.
        case size
        /// The bars of cellular reception.
        case bars
        /// Average pixel luminance, in `apl`.
        case luminance
        /// A number of instructions, in thousands.
        case instructions
        /// A ratio, in milliseconds per second of scrolling or animation.
        case hitchRatio
    }

    /// The value in the base unit of its dimension.
    package let value: Double
    /// Whether a single full stop was read as a thousands separator: `1.234 sec` is 1,234 s.
    package let isAmbiguous: Bool

    static let textLimit = 256

    private init?(_ value: Double, isAmbiguous: Bool = false) {
        guard value.isFinite else { return nil }
        self.value = value
        self.isAmbiguous = isAmbiguous
    }

    package init?(_ text: String, of dimension: Dimension) {
        guard text.utf8.count <= Self.textLimit else { return nil }
        var reader = NumberReader(text)
        guard let number = reader.read(),
            let factor = MeasurementUnits.factor(of: reader.rest, in: dimension)
        else { return nil }
        self.init(number.value * factor, isAmbiguous: number.isAmbiguous)
    }

    /// Reads a text; a number, which is in the base unit; or `{"value": 2500, "unit": "ms"}`, where
    /// the unit may also be an object with a `symbol`.
    package init?(_ json: JSONValue, of dimension: Dimension) {
        switch json.kind {
        case .string:
            self.init(json.string ?? "", of: dimension)
        case .number:
            self.init(json.double ?? .nan)
        case .object:
            guard let number = json["value"]?.double,
                let unit = json["unit"].flatMap({ $0.string ?? $0["symbol"]?.string }),
                let factor = MeasurementUnits.factor(of: unit[...], in: dimension)
            else { return nil }
            self.init(number * factor)
        case .array, .bool, .null: return nil
        }
    }
}

extension JSONValue {
    /// The number, rounded to 53 bits.
    var double: Double? {
        switch number {
        case .unsigned(let number): Double(number)
        case .negative(let number): Double(number)
        case .real(let number): number
        case nil: nil
        }
    }
}
