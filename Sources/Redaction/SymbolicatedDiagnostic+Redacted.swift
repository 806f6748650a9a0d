public import CallStacks

extension SymbolicatedDiagnostic {
    /// Redacts user names in the source paths that symbols add to a report. The report's own values
    /// are redacted by ``FileRedaction``, before it is read.
    ///
    /// - Complexity: O(*n*) in the number of frames.
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
        // The last component is a folder too, as in the whole path.
        String(PrivateText.redacted(folder + "/").dropLast())
    }
}
