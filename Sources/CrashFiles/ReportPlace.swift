import Archives

/// Which files in folders and archives may be reports. Paths are those below the folder or archive.
public enum ReportPlace {
    /// Whether reports may lie in a folder. Bundles of symbols hold none, and what is hidden is not
    /// meant.
    public static func admits(folder path: String) -> Bool { admits(path.split(separator: "/")) }

    public static func admits(file path: String) -> Bool {
        let parts = path.split(separator: "/")
        let isAtDepth = placeInCrashPoint(parts).map { $0.count == crashPoint.count } ?? true
        return isAtDepth && admits(parts)
    }

    /// How many first bytes tell.
    public static let startLength = ArchiveKind.startLength

    /// Whether a file that begins so is a text, an archive, or a report of a kind that is known.
    public static func admits(start: [UInt8]) -> Bool {
        if start.isEmpty { return false }
        if WideText.isMarked(start) || HeldFile.isPacked(start) { return true }
        if let refusal = Refusal(ofFile: start) { return refusal.isReport }
        return !start.contains(0)
    }

    /// Whether a folder of this name is what Xcode's Organizer keeps the reports of one crash in.
    public static func isCrashPoint(_ name: some StringProtocol) -> Bool {
        name.hasSuffix(".xccrashpoint")
    }

    private static func admits(_ path: [Substring]) -> Bool {
        guard !path.contains(where: { $0.hasPrefix(".") || $0.hasSuffix(".dSYM") })
        else { return false }
        guard let place = placeInCrashPoint(path) else { return true }
        return place.count <= crashPoint.count
            && zip(place, crashPoint).allSatisfy { $1 == "*" || $0 == $1 }
    }

    /// Where reports lie in a crash point. Those that Xcode symbolicated itself lie one folder deeper.
    private static let crashPoint = ["Filters", "*", "Logs", "*"]

    /// What follows the name of a crash point in a path; `nil` where there is none.
    private static func placeInCrashPoint(_ path: [Substring]) -> ArraySlice<Substring>? {
        path.lastIndex(where: isCrashPoint).map { path[($0 + 1)...] }
    }
}
