import CallStacks
import ReportFormats
import StackRendering
import Symbolication

/// The counts, remarks and missing symbols of symbolicated reports, of one input or of a whole run.
struct RunSummary: Sendable {
    private(set) var remarks: Set<Remark> = []
    private(set) var missing = MissingAppSymbols()
    /// The images whose symbols are damaged, in the order of the reports.
    private(set) var damagedImages: [ImageID] = []
    private var knownDamagedImages: Set<ImageID> = []
    /// The images of the reports.
    private(set) var images: Set<ImageID> = []
    /// The patterns of `--in-app` and `--not-in-app` that match an image of the reports.
    private(set) var usedPatterns: Set<String> = []
    /// Whether a report is a dump of several processes, from which `--process` chooses.
    private(set) var includesDump = false
    private var counts: [SymbolicatedDiagnostic.Status: Int] = [:]

    /// The number of symbolicated reports.
    var reportCount: Int { counts.values.reduce(0, +) }

    mutating func add(_ diagnostic: SymbolicatedDiagnostic) {
        remarks.formUnion(diagnostic.remarks)
        for frame in diagnostic.frames { remarks.formUnion(frame.remarks) }
        counts[diagnostic.status, default: 0] += 1
        missing.add(diagnostic)
        images.formUnion(diagnostic.images.compactMap(\.image))
        for image in diagnostic.images where image.status == .corrupt {
            if let id = image.image { add(damaged: id) }
        }
    }

    /// Records the options that have an effect on a report.
    mutating func addOptions(
        usedBy report: CrashReport, symbolicated: SymbolicatedDiagnostic, rules: InAppRules
    ) {
        if report.format == .spindump || report.format == .stackshot { includesDump = true }
        let patterns = Set(rules.app + rules.system).subtracting(usedPatterns)
        guard !patterns.isEmpty else { return }
        let images =
            report.images.map { ImageTraits(id: $0.id, name: $0.name, path: $0.path) }
            + symbolicated.images.map { ImageTraits(id: $0.image, name: $0.name) }
        usedPatterns.formUnion(
            patterns.filter { pattern in images.contains { $0.matches(pattern) } })
    }

    private mutating func add(damaged image: ImageID) {
        if knownDamagedImages.insert(image).inserted { damagedImages.append(image) }
    }

    mutating func add(_ other: RunSummary) {
        remarks.formUnion(other.remarks)
        images.formUnion(other.images)
        usedPatterns.formUnion(other.usedPatterns)
        includesDump = includesDump || other.includesDump
        counts.merge(other.counts) { $0 + $1 }
        missing.add(other.missing)
        for image in other.damagedImages { add(damaged: image) }
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
