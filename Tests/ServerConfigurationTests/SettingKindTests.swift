import Testing

@testable import ServerConfiguration

@Suite("The value of a setting")
struct SettingKindTests {
    @Test(
        "durations require a unit",
        arguments: [
            ("200ms", .milliseconds(200)), ("5s", .seconds(5)), ("10m", .seconds(600)),
            ("12h", .seconds(43_200)), ("30d", .seconds(2_592_000)), ("2w", .seconds(1_209_600)),
            ("0", .zero), ("0s", .zero), ("30 d", .seconds(2_592_000)),
            ("36500d", .seconds(36_500 * 86_400)),
            ("5", nil), ("", nil), ("s", nil), ("-1s", nil), ("1.5h", nil), ("1S", nil),
            ("36501d", nil), ("9223372036854775807w", nil), ("99999999999999999999s", nil),
            ("١s", nil), ("5  s", nil),
        ] as [(String, Duration?)])
    func durations(text: String, duration: Duration?) {
        #expect(Duration(settingText: text) == duration)
        #expect((SettingKind.anyDuration.problem(with: text) == nil) == (duration != nil))
    }

    @Test(
        "sizes accept decimal and binary units",
        arguments: [
            ("64MiB", 64 << 20), ("2GB", 2_000_000_000), ("1 KiB", 1_024), ("1tib", 1 << 40),
            ("17", 17), ("17B", 17), ("0", 0),
            ("64M", nil), ("-1", nil), ("", nil), ("1e3", nil), ("9223372036854775807KiB", nil),
        ] as [(String, Int64?)])
    func sizes(text: String, bytes: Int64?) {
        #expect(ByteSize.bytes(text) == bytes)
        #expect((SettingKind.sizeOrZero.problem(with: text) == nil) == (bytes != nil))
        #expect((SettingKind.anySize.problem(with: text) == nil) == ((bytes ?? 0) > 0))
    }

    @Test(
        "durations and sizes are written in the largest whole unit",
        arguments: [
            (Duration.zero.settingText, "0s"), (Duration.milliseconds(1_500).settingText, "1500ms"),
            (Duration.minutes(60).settingText, "1h"), (Duration.days(14).settingText, "14d"),
            (ByteSize(bytes: 0).settingText, "0B"), (ByteSize(bytes: 1_536).settingText, "1536B"),
            (ByteSize.mebibytes(2_048).settingText, "2GiB"),
        ])
    func texts(text: String, expected: String) {
        #expect(text == expected)
    }

    @Test(
        "valid values are accepted",
        arguments: [
            (.boolean, "Yes"), (.boolean, "off"), (.number(1...3), "3"),
            (.url, "https://a.b/c?d=e"),
            (.url, "http://[::1]:4318"), (.patterns, "*"), (.patterns, "Shop*"),
            (.patterns, "*Kit*"), (.hosts, "symbols.example.com"), (.hosts, "10.0.0.1"),
            (.hosts, "::1"),
            (.hosts, "[::1]"), (.hosts, "symbolist."), (.origins, "https://a.b"),
            (.origins, "http://localhost:8080"), (.origins, "http://[::1]:80"),
            (.pairs, "x-key=a=b"), (.pairs, "x="), (.unless("auto", .number(1...3)), "auto"),
        ] as [(SettingKind, String)])
    func taken(kind: SettingKind, text: String) {
        #expect(kind.problem(with: text) == nil)
    }

    @Test(
        "invalid values are rejected",
        arguments: [
            (.text, ""), (.boolean, "1"), (.number(1...3), "0"), (.number(1...3), "4"),
            (.number(1...3), "two"), (.url, "collector:4318"), (.url, "ftp://a"), (.url, "http://"),
            (.url, "http://a:70000"), (.url, "http://user:pass@a"), (.patterns, ""),
            (.hosts, ""), (.hosts, "a:4318"), (.hosts, "http://a"), (.hosts, "*"), (.hosts, "a b"),
            (.origins, ""), (.origins, "*"), (.origins, "a.b"), (.origins, "https://"),
            (.origins, "https://a/"), (.origins, "https://*.a"), (.origins, "ftp://a"),
            (.patterns, "a*b"), (.patterns, "/usr/lib/*"), (.pairs, "=b"), (.pairs, "a"),
            (.pairs, "a b=c"), (.pairs, "Host=a"), (.pairs, "a=é"), (.pairs, "a=b\r\nc: d"),
            (.digest, "ab"), (.choice(["a"]), "b"),
            (.digest, String(repeating: "x", count: 64)), (.unless("auto", .number(1...3)), "none"),
        ] as [(SettingKind, String)])
    func refused(kind: SettingKind, text: String) {
        #expect(kind.problem(with: text) != nil)
    }
}
