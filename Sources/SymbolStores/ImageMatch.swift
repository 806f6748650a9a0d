public import CallStacks
import DebugFiles

/// What a set of debug files can do for one image of a report, and why not more.
public struct ImageMatch: Sendable {
    public enum Verdict: Hashable, Sendable {
        /// Its debug information is here.
        case served(path: String)
        /// Its file is here and answers poorly.
        case poor(path: String, reason: String)
        /// Files of its name are here, and of another link.
        case rebuilt(path: String, id: ImageID)
        /// Files of its name are here, and for other processors.
        case otherArchitecture(path: String, architecture: String)
        /// The report gives it no identity.
        case unidentified
        case absent

        /// One word, for programs.
        public var name: String {
            switch self {
            case .served: "served"
            case .poor: "poor"
            case .rebuilt: "rebuilt"
            case .otherArchitecture: "other_architecture"
            case .unidentified: "unidentified"
            case .absent: "absent"
            }
        }

        /// The file that it is about.
        public var path: String? {
            switch self {
            case .served(let path), .poor(let path, _), .rebuilt(let path, _),
                .otherArchitecture(let path, _):
                path
            case .unidentified, .absent: nil
            }
        }

        /// Why it is not better, and what would help; `nil` where all is well.
        public var reason: String? {
            switch self {
            case .served: nil
            case .poor(_, let reason): reason
            case .rebuilt(_, let id):
                "same name, other UUID \(id), so of another build: give that of the report's build"
            case .otherArchitecture(_, let architecture):
                "same name, for \(architecture) only: give the file with the slice of the report"
            case .unidentified: "the report gives no UUID, by which its file would be known"
            case .absent: "not among the files: give its dSYM or debug file"
            }
        }
    }

    public let verdict: Verdict

    public init(of image: ReportedImage, among slices: [DebugFileInspection.Slice]) {
        verdict = Self.verdict(on: image, slices)
    }

    private static func verdict(
        on image: ReportedImage, _ slices: [DebugFileInspection.Slice]
    ) -> Verdict {
        guard let id = image.id else { return .unidentified }
        let own = slices.filter { $0.file.id == id }
        if let best = own.max(by: { $0.summary.quality < $1.summary.quality }) {
            let isWhole = best.summary.quality == .full && !best.hidesNames
            return isWhole
                ? .served(path: best.path) : .poor(path: best.path, reason: reason(best))
        }
        let namesakes = slices.filter { slice in
            image.name.map(slice.isNamed) ?? false && slice.file.id != nil
        }
        let rebuilt = namesakes.first { slice in
            image.architecture.map(slice.file.architecture.isOfFamily) ?? true
        }
        if let rebuilt, let other = rebuilt.file.id {
            return .rebuilt(path: rebuilt.path, id: other)
        }
        guard let namesake = namesakes.first else { return .absent }
        return .otherArchitecture(
            path: namesake.path, architecture: namesake.file.architecture.name)
    }

    /// What its warnings say, or what is not in it.
    private static func reason(_ slice: DebugFileInspection.Slice) -> String {
        if let warning = slice.warnings.first { return warning.line }
        return switch slice.summary.quality {
        case .nothing: "has nothing that names code"
        case .exportedSymbols: "has exported symbols only"
        case .symbols: "has a symbol table only"
        case .lines, .full: "has no functions or no lines"
        }
    }
}

extension Architecture {
    /// Whether a report may mean it by a name: what a report has is the processor's, which runs others
    /// of its family too.
    public func isOfFamily(of name: String) -> Bool {
        name == self.name || (name.hasPrefix("arm64") && self.name.hasPrefix("arm64"))
    }
}
