import CallStacks
import StackRendering
import SymbolStores

extension SourceFolders {
    /// The number of lines shown before and after the frame's line.
    private static let margin: UInt32 = 2

    /// Returns source lines by frame index, for the frames for which they are useful. Each file is
    /// read once.
    func excerpts(for diagnostic: SymbolicatedDiagnostic) -> [Int: SourceExcerpt] {
        guard !isEmpty else { return [:] }
        var texts: [SourceFile: SourceText?] = [:]
        var excerpts: [Int: SourceExcerpt] = [:]
        for row in diagnostic.framesForExcerpts {
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
