import CallStacks
import StackRendering
import SymbolStores

extension SourceFolders {
    /// How many lines are shown before and after the one that a frame names.
    private static let margin: UInt32 = 2

    /// The source lines of the rows that they help to understand. Each file is read once.
    func excerpts(for diagnostic: SymbolicatedDiagnostic) -> [Int: SourceExcerpt] {
        guard !isEmpty else { return [:] }
        var texts: [SourceFile: SourceText?] = [:]
        var excerpts: [Int: SourceExcerpt] = [:]
        for row in diagnostic.rowsWorthSource {
            let frame = diagnostic.frames[row]
            guard let file = frame.file else { continue }
            let text: SourceText?
            if let known = texts[file] {
                text = known
            } else {
                text = self.text(of: file)
                texts[file] = text
            }
            if let lines = text?.lines(around: frame.line, margin: Self.margin) {
                excerpts[row] = SourceExcerpt(firstLine: lines.first, lines: lines.texts)
            }
        }
        return excerpts
    }
}
