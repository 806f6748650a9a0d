import CallStacks
import JSONText
import StackRendering

/// Symbolicated diagnostics as texts, each printed when it is known, or at the end as one JSON
/// document: an object for a single diagnostic, an array for several.
struct DiagnosticOutput {
    private let format: SymbolicateCommand.Format
    private let text: StackText
    private var documents: [[UInt8]] = []
    private(set) var isEmpty = true

    init(format: SymbolicateCommand.Format, text: StackText) {
        self.format = format
        self.text = text
    }

    /// - Parameter heading: What tells the diagnostic from the others of the run, as `head` shows
    ///   it above each of several files; `nil` where there is only one.
    mutating func add(_ diagnostic: SymbolicatedDiagnostic, heading: String?) {
        switch format {
        case .text:
            let title = heading.map { "==> \($0) <==\n" } ?? ""
            Console.result((isEmpty ? "" : "\n") + title + text.report(of: diagnostic))
        case .json:
            var writer = JSONWriter()
            StackJSON().write(diagnostic, to: &writer)
            documents.append(writer.bytes)
        }
        isEmpty = false
    }

    func finish() {
        switch documents.count {
        case 0: break
        case 1: Console.result(documents[0] + [UInt8(ascii: "\n")])
        default:
            Console.result(
                Array("[".utf8) + documents.joined(separator: Array(",\n".utf8)) + Array("]\n".utf8)
            )
        }
    }
}
