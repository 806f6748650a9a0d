/// The differences between the text that Crashlytics offers for download and Apple's reports:
///
///     # Crashlytics - Stack trace
///     # Application: com.example.shop
///     # Version: 1.4.0 (37)
///
///     Crashed: com.apple.main-thread
///     0  Shop                           0x9280 (Missing UUID cf441af5bb7e35678d44451d69214d92)
///     1  Shop                           0x3acc Cart.checkout() + 68 (Cart.swift:9)
///
///     com.apple.uikit.eventfetch-thread
///     0  libsystem_kernel.dylib         0xf24 mach_msg2_trap + 8
package enum CrashlyticsText {
    /// Whether a line belongs to the header.
    static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
        labels.contains { line.starts(with: $0) }
    }

    /// Whether a line begins the text, whose header has `#` before each line.
    static func isIdentified(by line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: "# Crashlytics".utf8)
    }

    /// Whether a line is the heading of a stack that no other text has. People copy stacks without
    /// the header: `Crashed: com.apple.main-thread`, `#0. Crashed: …`, `Fatal Exception: …`.
    package static func isHeading(_ line: ArraySlice<UInt8>) -> Bool {
        let text = withoutNumber(line)
        return headings.contains { text.starts(with: $0) }
    }

    private static let headings = ([crashed + " "] + exceptions.map { $0 + " " })
        .map { Array($0.utf8) }

    /// Returns the text after the number of a stack, such as `#1. `.
    private static func withoutNumber(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard line.first == UInt8(ascii: "#") else { return line }
        let rest = line.dropFirst().drop(while: \.isDigit)
        return rest.starts(with: ". ".utf8) ? rest.dropFirst(2) : line
    }

    /// Returns the name in `Fatal Exception: NSRangeException`, or `nil` for other headings.
    static func exception(in heading: String) -> String? {
        let text = withoutNumber(Array(heading.utf8)[...]).trimmed.text
        guard let mark = exceptions.first(where: { text.hasPrefix($0) }) else { return nil }
        let name = text.dropFirst(mark.count).prefix { $0 != "(" }.trimmed
        return name.isEmpty ? nil : name
    }

    private static let labels = [
        "# Crashlytics", "# Application:", "# Issue:", "# Issue ID:", "# Session:", "# Session ID:",
    ].map { Array($0.utf8) }

    /// Apple's names for the header's keys.
    private static let keys = [
        "application": "identifier", "date": "date/time", "device": "hardware model",
    ]

    /// Returns Apple's key for a header line such as `# Date: …`.
    static func field(_ key: String) -> String {
        guard key.hasPrefix("#") else { return key }
        let own = String(key.dropFirst()).trimmed
        return keys[own] ?? own
    }

    /// Returns the stack below a line such as `Crashed: com.apple.main-thread`, `Fatal Exception:
    /// NSRangeException` or `#1. com.apple.uikit.eventfetch-thread`.
    static func stack(below line: String, number: Int) -> CrashTextSections.Stack {
        var text = withoutNumber(Array(line.utf8)[...].trimmed).text
        if exceptions.contains(where: { text.hasPrefix($0) }) {
            return CrashTextSections.Stack(head: .lastException)
        }
        let isCrashed = text.hasPrefix(crashed)
        if isCrashed { text = text.dropFirst(crashed.count).trimmed }
        let label = ThreadLabel(text == "Thread" ? "" : text)
        return CrashTextSections.Stack(
            head: .thread(number, isAttributed: isCrashed, label: label), label: label,
            isAttributed: isCrashed)
    }

    private static let crashed = "Crashed:"
    private static let exceptions = ["Fatal Exception:", "Non-fatal Exception:"]
}
