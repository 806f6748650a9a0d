import Archives
import ReportFormats

/// Selects the files in folders and archives that may be reports. Paths are relative to the folder
/// or archive.
public enum ReportFileFilter {
    /// Whether a folder may contain reports. Symbol bundles and hidden folders do not.
    public static func admits(folder path: String) -> Bool { admits(path.split(separator: "/")) }

    public static func admits(file path: String) -> Bool {
        let parts = path.split(separator: "/")
        let isAtDepth = pathInCrashPoint(parts).map { $0.count == crashPoint.count } ?? true
        return isAtDepth && admits(parts)
    }

    /// The number of first bytes needed for ``admits(start:)``.
    public static let startLength = ArchiveKind.startLength

    /// Whether a file with these first bytes is text, an archive, or a report of a known kind.
    public static func admits(start: [UInt8]) -> Bool {
        if start.isEmpty { return false }
        if UTF16Text.isMarked(start) || ReceivedFile.isPacked(start) { return true }
        if let reason = UnreadReason(ofFile: start) { return reason.isReport }
        return !start.contains(0)
    }

    /// Whether a folder is a crash point, in which Xcode's Organizer keeps the reports of one
    /// crash.
    public static func isCrashPoint(_ name: some StringProtocol) -> Bool {
        name.hasSuffix(".xccrashpoint")
    }

    private static func admits(_ path: [Substring]) -> Bool {
        guard !path.contains(where: { $0.hasPrefix(".") || $0.hasSuffix(".dSYM") })
        else { return false }
        guard let innerPath = pathInCrashPoint(path) else { return true }
        return innerPath.count <= crashPoint.count
            && zip(innerPath, crashPoint).allSatisfy { $1 == "*" || $0 == $1 }
    }

    /// The path of reports in a crash point. Those symbolicated by Xcode are one folder deeper.
    private static let crashPoint = ["Filters", "*", "Logs", "*"]

    /// Returns the path inside a crash point, or `nil` outside of one.
    private static func pathInCrashPoint(_ path: [Substring]) -> ArraySlice<Substring>? {
        path.lastIndex(where: isCrashPoint).map { path[($0 + 1)...] }
    }
}
