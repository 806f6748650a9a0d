import Glibc

/// Which files a run is about, by patterns of their paths.
public struct PathChoice: Sendable {
    private let included: [String]
    private let excluded: [String]

    public static let all = Self(including: [], excluding: [])

    /// - Parameters:
    ///   - included: Patterns as shells have them, of which a path fits one; none for every path. A
    ///     pattern without a slash is one of the name of the file, or of a bundle or folder above it;
    ///     one with slashes is one of the path, from its start or from any folder on.
    ///   - excluded: Patterns of which it fits none.
    public init(including included: [String], excluding excluded: [String]) {
        self.included = included
        self.excluded = excluded
    }

    func contains(_ path: String) -> Bool {
        (included.isEmpty || included.contains { Self.fits(path, $0) })
            && !excluded.contains { Self.fits(path, $0) }
    }

    private static func fits(_ path: String, _ pattern: String) -> Bool {
        guard pattern.contains("/") else {
            return path.split(separator: "/").contains { isMatch(pattern, String($0)) }
        }
        // As deep as the pattern or deeper: what lies in a folder that fits does too.
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let patternDepth = pattern.split(separator: "/", omittingEmptySubsequences: false).count
        guard parts.count >= patternDepth else { return false }
        return (0...(parts.count - patternDepth)).contains { start in
            isMatch(pattern, parts[start..<start + patternDepth].joined(separator: "/"))
        }
    }

    private static func isMatch(_ pattern: String, _ text: String) -> Bool {
        unsafe fnmatch(pattern, text, FNM_PATHNAME) == 0
    }
}
