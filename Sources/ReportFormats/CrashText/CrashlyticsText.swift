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
enum CrashlyticsText {
    /// Whether a line belongs to the header.
    static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
        labels.contains { line.starts(with: $0) }
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
        var text = line.trimmed
        if text.hasPrefix("#"), let dot = text.firstRange(of: ". ") {
            text = String(text[dot.upperBound...])
        }
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
