import CallStacks

/// The command that adds the symbols of a report's system images, if the system is one of Apple's.
///
///     symbolist system add "…/iPhone15,2 18.1 (22B83)" --for crash.ips
struct SystemSymbolCommand {
    let text: String

    /// - Parameter input: The report's file, `-` for standard input, or `nil` if it must not be
    ///   named.
    /// - Returns: `nil` unless the report names one of Apple's systems.
    init?(for details: DiagnosticDetails, input: String?) {
        guard let system = details.osVersion.map({ SystemBuild($0) }),
            let name = Self.systemNames.first(where: { system.name.hasPrefix($0 + " ") })
        else { return nil }
        let version = system.name.dropFirst(name.count + 1)
        let path =
            Self.macNames.contains(name)
            ? Self.cachesOfMac(version)
            : Self.deviceFolder(version, system.build, model: details.deviceType)
        let file = input.flatMap { $0 == "-" ? nil : shellWord($0) } ?? "FILE"
        text = "symbolist system add \(path) --for \(file)"
    }

    /// The names that reports have for Apple's systems.
    private static let systemNames =
        macNames + [
            "iPhone OS", "iOS", "iPadOS", "tvOS", "Apple TVOS", "watchOS", "Watch OS", "visionOS",
            "xrOS",
        ]
    private static let macNames = ["macOS", "Mac OS X", "OS X"]

    /// Returns the folder of the shared caches on a Mac. It moved in macOS 13.
    private static func cachesOfMac(_ version: Substring) -> String {
        let major = Int(version.prefix { $0.isNumber }) ?? 0
        return (major >= 13 ? "/System/Volumes/Preboot/Cryptexes/OS" : "")
            + "/System/Library/dyld"
    }

    /// Returns the folder that Xcode creates for a device. All of the name comes from the report,
    /// so only a name that a shell reads as it is written is used.
    private static func deviceFolder(
        _ version: Substring, _ build: String, model: String?
    ) -> String {
        let build = build.split(separator: " ").last.map(String.init) ?? ""
        guard isWord(version), SystemBuild.isBuild(build) else { return "PATH" }
        let model = model.flatMap { isWord($0) ? $0 + " " : nil } ?? ""
        return "\"…/\(model)\(version) (\(build))\""
    }

    private static func isWord(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: ".,".utf8.contains($0)
                }
            }
    }
}
