public import CallStacks

extension SymbolicatedDiagnostic {
    /// With names of users left out of what symbols add to a report: the paths of source files. What
    /// the report says itself is left out by ``FileRedaction``, before it is read.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    public func redacted(_ level: RedactionLevel) -> Self {
        guard level != .none else { return self }
        var result = self
        result.redaction = level
        var folders: [String: String] = [:]
        for row in result.frames.indices {
            guard let folder = result.frames[row].file?.folder else { continue }
            let shown = folders[folder] ?? Self.redacted(folder: folder)
            folders[folder] = shown
            result.frames[row].file?.folder = shown
        }
        return result
    }

    private static func redacted(folder: String) -> String {
        // As in the whole path, the last component is a folder.
        String(PrivateText.redacted(folder + "/").dropLast())
    }
}
