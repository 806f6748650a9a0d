import JSONText
import MetricKitSignals
import TestSupport
import Testing

@Suite("Measurements")
struct MeasurementTests {
    @Test(
        "every spelling of the systems has its value",
        arguments: [
            ("20 sec", 20), ("20 secs.", 20), ("1,000 ms", 1), ("20000 ms", 20), ("1,010 ms", 1.01),
            ("2,717秒", 2_717), ("1,530毫秒", 1.53), ("9 sec", 9), ("٢٠ sec", 20),
            ("0,500 sec", 0.5), ("3.5 s", 3.5), ("1\u{202f}234 ms", 1.234),
            ("12\u{a0}345\u{a0}ms", 12.345), ("1’234 ms", 1.234), ("\u{200f}٣٬٠٠٠٫٥ ms", 3.0005),
            ("−5 ms", -0.005), ("+5 ms", 0.005), ("2 Min.", 120), ("1,5 h", 5_400),
            ("1 d", 86_400), ("250 µs", 0.00025), ("250 μs", 0.00025), ("7 мс", 0.007),
            ("  8  SEC  ", 8), ("1.234.567 ms", 1_234.567), ("12,34,567 ms", 1_234.567),
            ("1,234.5 ms", 1.2345), ("1.234,5 ms", 1.2345), ("１，０００ms", 1),
        ])
    func durations(text: String, seconds: Double) throws {
        let measurement = try #require(Measurement(text, of: .duration))
        #expect(abs(measurement.value - seconds) <= abs(seconds) * 1e-12, "\(measurement.value)")
        #expect(!measurement.isAmbiguous)
    }

    @Test(
        "sizes are bytes, and bits only if they are spelled out",
        arguments: [
            ("200,000 kB", 200e6), ("2,000 byte", 2_000), ("2000 byte", 2_000),
            ("1,106,818千字节", 1_106_818_000), ("1.234,5 kB", 1_234_500), ("1 234 ko", 1_234_000),
            ("3 MB", 3e6), ("2 GiB", 2_147_483_648), ("16 bits", 2), ("5 b", 5), ("7 バイト", 7),
        ])
    func sizes(text: String, bytes: Double) {
        #expect(Measurement(text, of: .size)?.value == bytes)
    }

    @Test(
        "an invalid duration is not guessed",
        arguments: [
            "", "sec", "20", "20 fortnights", "20 kB", "1.2.3 sec", "1,23,4 ms", "1 23 ms",
            "1,,5 s",
            "5 10 ms", "1e3 sec", "0x10 ms", "NaN ms", "- ms", "--5 ms", "1,234 567 ms", "ms 5",
            String(repeating: "9", count: 400) + " s",
        ])
    func refusals(text: String) {
        #expect(Measurement(text, of: .duration) == nil)
    }

    @Test("a lone full stop before three digits groups, and the value is ambiguous")
    func ambiguity() throws {
        let measurement = try #require(Measurement("1.234 sec", of: .duration))
        #expect(measurement.value == 1_234)
        #expect(measurement.isAmbiguous)
        #expect(Measurement("1234.567 s", of: .duration)?.isAmbiguous == false)
    }

    @Test(
        "numbers and objects are measurements too",
        arguments: [
            ("2.5", 2.5), (#"{"value": 2500, "unit": "ms"}"#, 2.5),
            (#"{"value": 2500, "unit": {"symbol": "ms"}}"#, 2.5), (#""2.5 s""#, 2.5),
            (#"{"value": 2500}"#, nil), (#"{"value": "2", "unit": "s"}"#, nil), ("true", nil),
            ("[1]", nil), (#"{"value": 1, "unit": "kB"}"#, nil),
        ] as [(String, Double?)])
    func json(text: String, seconds: Double?) throws {
        let value = try #require(JSONDocument(Array(text.utf8)).root)
        #expect(Measurement(value, of: .duration)?.value == seconds)
    }

    /// The separators of a locale: of thousands, of the fraction, and before units.
    private static let styles: [(group: String, decimal: String, space: String)] = [
        (",", ".", " "), (".", ",", " "), ("\u{a0}", ",", "\u{a0}"), ("’", ".", " "),
        ("\u{202f}", ",", "\u{202f}"), ("٬", "٫", " "), (",", ".", ""), ("", ".", " "),
    ]
    private static let digits: [[Character]] = [
        Array("0123456789"), Array("٠١٢٣٤٥٦٧٨٩"), Array("०१२३४५६७८९"), Array("۰۱۲۳۴۵۶۷۸۹"),
    ]

    @Test("a number is read in every style, script and unit", arguments: UInt64(0)..<200)
    func property(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let style = Self.styles.randomElement(using: &numbers)!
        let script = Self.digits.randomElement(using: &numbers)!
        let (unit, factor) = [("ms", 1e-3), ("秒", 1.0), ("мин", 60.0), ("h", 3_600.0)]
            .randomElement(using: &numbers)!
        let whole = Int.random(
            in: 0...Int.random(in: 1...999_999_999, using: &numbers), using: &numbers)
        // With one digit there is only one valid reading.
        let fraction = Int.random(in: 1...9, using: &numbers)
        let text =
            Self.written(whole, style.group) + style.decimal + "\(fraction)" + style.space + unit
        let translated = String(text.map { $0.wholeNumberValue.map { script[$0] } ?? $0 })
        let expected = (Double(whole) + Double(fraction) / 10) * factor
        let measurement = try #require(Measurement(translated, of: .duration), "\(translated)")
        #expect(abs(measurement.value - expected) <= expected * 1e-12, "\(translated)")
        #expect(!measurement.isAmbiguous)
    }

    private static func written(_ number: Int, _ separator: String) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text = separator + text }
            text = String(digit) + text
        }
        return text
    }

    @Test("any mixture of characters is a finite number or invalid", arguments: UInt64(0)..<300)
    func garbage(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let signs = Array("0123456789.,'’٬٫ -−+٣९\u{a0}\u{200f}秒smkB毫e千")
        let count = Int.random(in: 0...40, using: &numbers)
        let text = String((0..<count).map { _ in signs.randomElement(using: &numbers)! })
        for dimension in Measurement.Dimension.allCases {
            let value = Measurement(text, of: dimension)?.value
            #expect(value?.isFinite != false, "\(text)")
        }
    }
}
