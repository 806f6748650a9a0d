import CallStacks

/// Optional details to write into a report in addition to those that its format always contains.
public struct RewritingOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Source files with folders, in formats that otherwise have only their names.
    public static let fullPaths = Self(rawValue: 1)
    /// Path, column and linkage name of a frame's function, in `.ips` under Symbolist's own key.
    /// Other formats have no field for them.
    public static let annotations = Self(rawValue: 2)
}

extension SymbolicatedDiagnostic {
    /// Returns the diagnostic with full paths as file names.
    func namingFilesByPaths() -> Self {
        var result = self
        for row in result.frames.indices {
            guard let path = result.frames[row].file?.path else { continue }
            result.frames[row].file = SourceFile(folder: "", name: path)
        }
        return result
    }
}
