import CallStacks

/// The commands that find missing symbols and give them to another run, ready to be copied.
///
///     To add what is missing:
///       mdfind 'com_apple_xcode_dsym_uuids == 2A3B4C5D-6E7F-8091-A2B3-C4D5E6F70819'  # Pay, on a Mac
///       symbolist symbolicate crash.ips --symbols PATH
struct SupplyCommands {
    /// How many images are looked for.
    static let imageLimit = 5

    let text: String
    /// The commands alone, each with a line break.
    let commands: String

    /// - Parameters:
    ///   - images: Those of the app that want symbols.
    ///   - input: What the run was given to read.
    init(for images: [ImageReport], input: String, style: StackStyle) {
        let wanted = images.filter { $0.image != nil }.prefix(Self.imageLimit)
        guard !wanted.isEmpty else {
            (text, commands) = ("", "")
            return
        }
        let lines =
            wanted.compactMap(Self.search) + [
                "symbolist symbolicate \(quoted(input)) --symbols PATH"
            ]
        commands = lines.map { "\($0)\n" }.joined()
        text =
            style.paint("To add what is missing:", as: .heading) + "\n"
            + lines.map { "  \($0)\n" }.joined()
    }

    /// A Mac indexes its dSYMs by UUID; elsewhere debug files are found by their build id.
    private static func search(_ report: ImageReport) -> String? {
        guard let image = report.image else { return nil }
        let name = shown(report.name ?? "???")
        if image.hasUUIDLength {
            return "mdfind 'com_apple_xcode_dsym_uuids == \(image)'  # \(name), on a Mac"
        }
        let path = "\(image.hex.prefix(2))/\(image.hex.dropFirst(2)).debug"
        return "find / -path '*/.build-id/\(path)'  # \(name)"
    }
}

/// A word as a shell takes it.
private func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_-./+,:@%=".utf8.contains($0)
        }
    }
    if isPlain, !word.isEmpty { return word }
    return "'\(shown(word).replacing("'", with: "'\\''"))'"
}
