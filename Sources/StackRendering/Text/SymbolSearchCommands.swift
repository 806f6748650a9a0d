package import CallStacks

/// Commands that find missing symbols and symbolicate again with them, ready to be copied.
///
///     To add the missing symbols:
///       mdfind 'com_apple_xcode_dsym_uuids == 2A3B4C5D-6E7F-8091-A2B3-C4D5E6F70819'  # Pay, on a Mac
///       symbolist symbolicate crash.ips --symbols PATH
struct SymbolSearchCommands {
    /// The maximum number of images to search for.
    static let imageLimit = 5

    let text: String
    /// The commands alone, each followed by a line break.
    let commands: String

    /// - Parameters:
    ///   - images: The app's images that lack symbols.
    ///   - input: The input of the run.
    init(for images: [ImageStatus], input: String, style: StackStyle) {
        let wanted = images.filter { $0.image != nil }.prefix(Self.imageLimit)
        guard !wanted.isEmpty else {
            (text, commands) = ("", "")
            return
        }
        let lines =
            wanted.compactMap(Self.search) + [
                "symbolist symbolicate \(shellWord(input)) --symbols PATH"
            ]
        commands = lines.map { "\($0)\n" }.joined()
        text =
            style.paint("To add the missing symbols:", as: .heading) + "\n"
            + lines.map { "  \($0)\n" }.joined()
    }

    /// Returns the command that finds an image's symbols. A Mac indexes its dSYMs by UUID;
    /// elsewhere debug files are found by their build ID.
    private static func search(_ report: ImageStatus) -> String? {
        guard let image = report.image else { return nil }
        let name = shown(report.name ?? "???")
        return "\(image.searchCommand)  # \(name)" + (image.hasUUIDLength ? ", on a Mac" : "")
    }
}

extension ImageID {
    /// The command that searches a machine for the debug file of the image.
    package var searchCommand: String {
        if hasUUIDLength { return "mdfind 'com_apple_xcode_dsym_uuids == \(self)'" }
        return "find / -path '*/.build-id/\(hex.prefix(2))/\(hex.dropFirst(2)).debug'"
    }
}

/// Returns a word quoted for a shell.
package func shellWord(_ word: String) -> String {
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
