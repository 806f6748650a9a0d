import CallStacks
import JSONText
import MetricKitPayloads

/// Writes functions into the JSON of a call-stack tree.
struct TreeRewriting: ReportRewriting {
    /// Of the whole file.
    let bytes: [UInt8]
    /// Read from the bytes of its range.
    let diagnostic: ReceivedDiagnostic
    let limits: PayloadLimits

    func edits(with answers: AnsweredFrames, _ budget: inout EditBudget) -> [Edit] {
        let document = JSONDocument(bytes, in: diagnostic.range)
        let architectures = answers.diagnostic.architectures
        guard
            let frames = document.root.flatMap({
                diagnostic.nodes(in: $0, limits: limits, architectureOf: { architectures[$0] })
            })
        else { return [] }
        var edits: [Edit] = []
        for (physical, node) in frames.nodes.enumerated() {
            let functions = answers.functions(at: physical)
            guard let image = functions.first?.image,
                image == node.value["binaryUUID"]?.string.flatMap({ ImageID($0) })
            else { continue }
            let change = FrameNodeEdits(node, frames.direction, in: bytes)
            guard budget.takes(functions, repeating: change.copiedByteCount) else { break }
            edits += change.edits(for: functions)
        }
        return edits
    }
}

extension JSONDocument {
    /// Reads the value that begins a range of a file.
    convenience init(_ bytes: [UInt8], in range: Range<Int>) {
        var limits = JSONLimits()
        limits.bytes = max(limits.bytes, range.count)
        var reader = JSONReader(bytes, in: range, limits: limits, allowsTrailingCommas: true)
        self.init(readingFrom: &reader, limits: limits)
    }
}

extension SymbolicatedDiagnostic {
    /// Those that the frames were read with: of the symbols found.
    fileprivate var architectures: [ImageID: Architecture] {
        var architectures: [ImageID: Architecture] = [:]
        for report in images {
            guard let image = report.image else { continue }
            architectures[image] = report.architecture.flatMap(Architecture.init(name:))
        }
        return architectures
    }
}
