import CallStacks
import JSONText
import MetricKitPayloads

/// Writes functions into the JSON of a call-stack tree.
struct TreeRewriter: ReportRewriter {
    /// The whole file.
    let bytes: [UInt8]
    /// The diagnostic read from its range.
    let diagnostic: ReceivedDiagnostic
    let limits: PayloadLimits

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        let document = JSONDocument(bytes, in: diagnostic.range)
        let architectures = results.diagnostic.architectures
        guard
            let frames = document.root.flatMap({
                diagnostic.nodes(in: $0, limits: limits, architectureOf: { architectures[$0] })
            })
        else { return [] }
        var edits: [Edit] = []
        for (physical, node) in frames.nodes.enumerated() {
            let functions = results.functions(at: physical)
            guard let image = functions.first?.image,
                image == node.value["binaryUUID"]?.string.flatMap({ ImageID($0) })
            else { continue }
            let change = FrameNodeEdits(node, frames.direction, in: bytes)
            guard budget.reserve(functions, repeating: change.copiedByteCount) else { break }
            edits += change.edits(for: functions)
        }
        return edits
    }
}

extension JSONDocument {
    /// Reads the value at the start of a range of a file.
    package convenience init(_ bytes: [UInt8], in range: Range<Int>) {
        var limits = JSONLimits()
        limits.bytes = max(limits.bytes, range.count)
        var reader = JSONReader(bytes, in: range, limits: limits, allowsTrailingCommas: true)
        self.init(readingFrom: &reader, limits: limits)
    }
}

extension SymbolicatedDiagnostic {
    /// The architectures with which the frames were decoded: those of the symbols that were found.
    fileprivate var architectures: [ImageID: Architecture] {
        var architectures: [ImageID: Architecture] = [:]
        for report in images {
            guard let image = report.image else { continue }
            architectures[image] = report.architecture.flatMap(Architecture.init(name:))
        }
        return architectures
    }
}
