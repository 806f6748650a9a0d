import CallStacks

/// What is written into a report besides what its format always has.
public struct WritingOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Source files with their folders, where the format has their names alone.
    public static let fullPaths = Self(rawValue: 1)
    /// Path, column and linkage name of a frame's function, in `.ips` under a key of ours. Other
    /// formats have no place for them.
    public static let annotations = Self(rawValue: 2)
}

extension SymbolicatedDiagnostic {
    /// With whole paths where names of files stand.
    func namingFilesByPaths() -> Self {
        var result = self
        for row in result.frames.indices {
            guard let path = result.frames[row].file?.path else { continue }
            result.frames[row].file = SourceFile(folder: "", name: path)
        }
        return result
    }
}
