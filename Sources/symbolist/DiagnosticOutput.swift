import CallStacks
import JSONText
import StackRendering

/// Symbolicated diagnostics as one text, or as one JSON document: an object for a single diagnostic,
/// an array for several.
struct DiagnosticOutput {
    private let format: SymbolicateCommand.Format
    private let text: StackText
    private var diagnostics: [SymbolicatedDiagnostic] = []

    init(format: SymbolicateCommand.Format, text: StackText) {
        self.format = format
        self.text = text
    }

    var isEmpty: Bool { diagnostics.isEmpty }

    mutating func add(_ diagnostic: SymbolicatedDiagnostic) { diagnostics.append(diagnostic) }

    func finished() -> [UInt8] {
        guard !isEmpty else { return [] }
        switch format {
        case .text:
            return Array(diagnostics.map(text.report(of:)).joined(separator: "\n\n").utf8)
        case .json:
            return json + [UInt8(ascii: "\n")]
        }
    }

    private var json: [UInt8] {
        var writer = JSONWriter()
        if diagnostics.count == 1 {
            StackJSON().write(diagnostics[0], to: &writer)
        } else {
            writer.beginArray()
            for diagnostic in diagnostics { StackJSON().write(diagnostic, to: &writer) }
            writer.endArray()
        }
        return writer.bytes
    }
}
