import CallStacks
import MetricKitPayloads
import StackRendering
import Symbolication

extension FuzzTarget {
    func readTree(_ input: [UInt8]) throws {
        let payload = PayloadReader().read(input)
        try promise("an upload has an element", !payload.elements.isEmpty)
        for element in payload.elements {
            try promise("an element lies in the upload", element.range.upperBound <= input.count)
        }
        let symbolicator = Symbolicator(provider: NoSymbols())
        for received in payload.diagnostics {
            let symbols = ExampleSymbols.supply(for: received.imageIDs)
            let diagnostic = received.resolved(architectureOf: symbols.architecture(of:))
            try promise(
                "resolving keeps all frames", diagnostic.tree.frames.count >= received.frameCount)
            let answer = symbolicator.symbolicate(diagnostic, with: symbols)
            _ = StackText().report(of: answer)
            _ = StackText(style: .terminal, usesFullPaths: true).report(of: answer)
            _ = StackJSON().text(of: answer)
        }
    }
}
