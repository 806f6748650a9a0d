import Glibc

/// A filter for files by glob patterns of their paths.
public struct PathFilter: Sendable {
    private let included: [String]
    private let excluded: [String]

    public static let all = Self(including: [], excluding: [])

    /// - Parameters:
    ///   - included: Shell patterns. A path has to match at least one of them; if there are none,
    ///     every path matches. A pattern without a slash matches the name of the file, or of a
    ///     bundle or folder above it. One with slashes matches consecutive components anywhere in
    ///     the path.
    ///   - excluded: Patterns that a path must not match.
    public init(including included: [String], excluding excluded: [String]) {
        self.included = included
        self.excluded = excluded
    }

    /// Whether a path matches.
    func contains(_ path: String) -> Bool {
        (included.isEmpty || included.contains { Self.fits(path, pattern: $0) })
            && !excluded.contains { Self.fits(path, pattern: $0) }
    }

    private static func fits(_ path: String, pattern: String) -> Bool {
        guard pattern.contains("/") else {
            return path.split(separator: "/").contains { isMatch(pattern, text: String($0)) }
        }
        // The path may be deeper than the pattern: files in a matching folder match too.
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let patternDepth = pattern.split(separator: "/", omittingEmptySubsequences: false).count
        guard parts.count >= patternDepth else { return false }
        return (0...(parts.count - patternDepth)).contains { start in
            isMatch(pattern, text: parts[start..<start + patternDepth].joined(separator: "/"))
        }
    }

    private static func isMatch(_ pattern: String, text: String) -> Bool {
        unsafe fnmatch(pattern, text, FNM_PATHNAME) == 0
    }
}
