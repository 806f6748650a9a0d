extension DiagnosticGroup.Trend {
    /// - Parameters:
    ///   - seen: The versions in which a group was seen.
    ///   - versions: All versions of its app, the oldest first.
    public init?(seenIn seen: Set<String>, among versions: [String]) {
        guard versions.count > 1, let newest = versions.last, seen.contains(newest) else {
            return nil
        }
        if seen == [newest] {
            self = .new
        } else if !seen.contains(versions[versions.count - 2]) {
            self = .back
        } else {
            return nil
        }
    }
}
