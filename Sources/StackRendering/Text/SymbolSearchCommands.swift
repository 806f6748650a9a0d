package import CallStacks

/// Commands that find missing symbols and symbolicate again with them, ready to be copied.
///
///     To find the missing symbols of Pay on a Mac, and add them:
///       mdfind 'com_apple_xcode_dsym_uuids == 2A3B4C5D-6E7F-8091-A2B3-C4D5E6F70819'
///       symbolist symbolicate crash.ips --symbols PATH
///
/// The commands contain no names of a report, which a shell would interpret when they are pasted.
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
            wanted.compactMap(\.image?.searchCommand) + [
                "symbolist symbolicate \(shellWord(input)) --symbols PATH"
            ]
        commands = lines.map { "\($0)\n" }.joined()
        text =
            style.paint(Self.heading(for: Array(wanted)), as: .heading) + "\n"
            + lines.map { "  \($0)\n" }.joined()
    }

    private static func heading(for images: [ImageStatus]) -> String {
        let names = images.map { shown($0.name ?? "???") }.joined(separator: ", ")
        let isOnMac = images.contains { $0.image?.hasUUIDLength == true }
        return "To find the missing symbols of \(names)\(isOnMac ? " on a Mac" : ""), and add them:"
    }
}

extension ImageID {
    /// The command that searches a machine for the debug file of the image. A Mac indexes its dSYMs
    /// by UUID; elsewhere debug files are found by their build ID.
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
    // A quotation mark and a combining character after it are one `Character`.
    var quoted = "'"
    for scalar in shown(word).unicodeScalars {
        if scalar == "'" {
            quoted += "'\\''"
        } else {
            quoted.unicodeScalars.append(scalar)
        }
    }
    return quoted + "'"
}
