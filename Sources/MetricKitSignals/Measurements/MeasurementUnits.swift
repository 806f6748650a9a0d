/// The units of measurements, as systems write them in all languages.
///
/// Whole words are compared, ignoring case and a full stop at the end. A measurement in a language
/// that is not listed is kept as text.
enum MeasurementUnits {
    /// Returns one unit in the base unit of its dimension, or `nil` if the dimension has no such
    /// unit.
    static func factor(of unit: Substring, in dimension: Measurement.Dimension) -> Double? {
        tables[dimension]?[normal(unit)]
    }

    private static func normal(_ unit: Substring) -> String {
        var words = unit.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
        if words.hasSuffix(".") { words.removeLast() }
        return words.trimmingSpaces
    }

    private static let tables: [Measurement.Dimension: [String: Double]] = [
        .duration: table(durations), .size: table(sizes), .bars: table([(1, "bar bars")]),
        .luminance: table([(1, "apl")]),
        .instructions: table([(1, "kiloinstructions kiloinstruction")]),
        .hitchRatio: ["ms per s": 1, "ms/s": 1],
    ]

    private static func table(_ rows: [(Double, String)]) -> [String: Double] {
        var table: [String: Double] = [:]
        for (factor, words) in rows {
            for word in words.split(separator: " ") {
                table[normal(word)] = factor
            }
        }
        return table
    }

    private static let durations: [(Double, String)] = [
        (1e-9, "ns nsec nanosecond nanoseconds 纳秒 奈秒 ナノ秒 나노초 нс"),
        (1e-6, "µs μs us microsecond microseconds 微秒 マイクロ秒 마이크로초 мкс"),
        (
            1e-3,
            "ms msec msecs millisecond milliseconds 毫秒 ミリ秒 밀리초 мс мсек msn ملي\u{a0}ث "
                + "millisekunden milliseconde millisecondes milisegundos millisecondi"
        ),
        (
            1,
            "s sec secs second seconds 秒 秒钟 秒鐘 초 с сек sek seg sn วินาที ث giây "
                + "sekunde sekunden seconde secondes segundo segundos secondo secondi"
        ),
        (
            60,
            "min mins minute minutes 分 分钟 分鐘 분 мин хв dk นาที د phút "
                + "minuten minuto minutos minuti"
        ),
        (
            3_600,
            "h hr hrs hour hours 小时 小時 時間 시간 ч год std sa ชม giờ "
                + "stunde stunden heure heures hora horas ora ore"
        ),
        (86_400, "d day days 天 日 일 дн tag tage jour jours día días giorno giorni"),
    ]

    private static let sizes: [(Double, String)] = [
        (0.125, "bit bits 比特 位元 ビット 비트 бит"),
        (
            1,
            "b byte bytes 字节 字節 位元組 バイト 바이트 б байт octet octets o بايت bayt oktet ไบต์"
        ),
        (
            1e3,
            "kb kilobyte kilobytes ko kilooctet kilooctets 千字节 千位元組 キロバイト 킬로바이트 кб "
                + "кілобайт килобайт كيلوبايت"
        ),
        (1e6, "mb megabyte megabytes mo mégaoctets 兆字节 百萬位元組 メガバイト 메가바이트 мб"),
        (1e9, "gb gigabyte gigabytes go gigaoctets 吉字节 千兆字节 ギガバイト 기가바이트 гб"),
        (1e12, "tb terabyte terabytes to téraoctets 太字节 テラバイト 테라바이트 тб"),
        (1_024, "kib kibibyte kibibytes"),
        (1_048_576, "mib mebibyte mebibytes"),
        (1_073_741_824, "gib gibibyte gibibytes"),
    ]
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
