import CallStacks
import StackRendering

/// What is to be said about answers after they have been written: of one input, or of all.
struct AnswerSummary: Sendable {
    private(set) var remarks: Set<Remark> = []
    private(set) var missing = MissingSymbols()
    /// The images whose symbols are there and cannot be used, in the order of the answers.
    private(set) var damagedImages: [ImageID] = []
    /// The images that frames were looked up in.
    private(set) var images: Set<ImageID> = []
    private var counts: [SymbolicatedDiagnostic.Status: Int] = [:]

    /// How many reports were answered.
    var reportCount: Int { counts.values.reduce(0, +) }

    mutating func add(_ answer: SymbolicatedDiagnostic) {
        remarks.formUnion(answer.remarks)
        for frame in answer.frames { remarks.formUnion(frame.remarks) }
        counts[answer.status, default: 0] += 1
        missing.add(answer)
        images.formUnion(answer.images.compactMap(\.image))
        for image in answer.images where image.status == .corrupt {
            if let id = image.image, !damagedImages.contains(id) { damagedImages.append(id) }
        }
    }

    mutating func add(_ other: AnswerSummary) {
        remarks.formUnion(other.remarks)
        images.formUnion(other.images)
        counts.merge(other.counts) { $0 + $1 }
        missing.add(other.missing)
    }

    /// `3 reports: 2 symbolicated, 1 partial`
    var words: String {
        let parts = SymbolicatedDiagnostic.Status.allCases.compactMap { status in
            counts[status].map { "\($0) \(status.rawValue)" }
        }
        let all = counted(reportCount, "report")
        return parts.isEmpty ? all : "\(all): \(parts.joined(separator: ", "))"
    }
}
