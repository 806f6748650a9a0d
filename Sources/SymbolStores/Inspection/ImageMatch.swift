public import CallStacks
import DebugFiles
import SharedCaches

/// The degree to which a set of debug files matches one image of a report, with the reason if the
/// match is not complete.
public struct ImageMatch: Sendable {
    public enum Verdict: Hashable, Sendable {
        /// The debug information of the image is among the files.
        case served(path: String)
        /// A file of the image is among them, but it has limited information.
        case poor(path: String, reason: String)
        /// Only files with its name from another build are among them.
        case rebuilt(path: String, id: ImageID)
        /// Only files with its name for other architectures are among them.
        case otherArchitecture(path: String, architecture: String)
        /// The report has no identity for the image.
        case unidentified
        case absent

        /// The name in JSON.
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

        /// The path of the matching file, or `nil` if there is none.
        public var path: String? {
            switch self {
            case .served(let path), .poor(let path, _), .rebuilt(let path, _),
                .otherArchitecture(let path, _):
                path
            case .unidentified, .absent: nil
            }
        }

        /// The reason why the match is not complete, with a next step, or `nil` if it is.
        public var reason: String? {
            switch self {
            case .served: nil
            case .poor(_, let reason): reason
            case .rebuilt(_, let id):
                "same name, different UUID (\(id)): use the file of the build that crashed"
            case .otherArchitecture(_, let architecture):
                "has only \(architecture): use a file with the report's architecture"
            case .unidentified: "the report has no UUID for it, so no file can be matched"
            case .absent: "not among the files: pass its dSYM or debug file"
            }
        }
    }

    public let verdict: Verdict

    public init(of image: ListedImage, among slices: [DebugFileInspection.Slice]) {
        verdict = Self.verdict(on: image, slices: slices)
    }

    /// The match of an image in shared caches, or `nil` if none contains it.
    public init?(of image: ListedImage, among caches: [LocatedCache]) {
        for found in caches {
            guard let own = found.cache.images.first(where: { $0.id != nil && $0.id == image.id })
            else { continue }
            let path = found.displayPath(of: own)
            verdict =
                found.cache.hasLocalSymbols
                ? .served(path: path) : .poor(path: path, reason: "has exported symbols only")
            return
        }
        return nil
    }

    private static func verdict(
        on image: ListedImage, slices: [DebugFileInspection.Slice]
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

    /// Returns the warnings of a slice, or what it lacks.
    private static func reason(_ slice: DebugFileInspection.Slice) -> String {
        if let warning = slice.warnings.first { return warning.line }
        return switch slice.summary.quality {
        case .nothing: "has neither symbols nor debug information"
        case .exportedSymbols: "has exported symbols only"
        case .symbols: "has a symbol table only"
        case .lines, .full: "has no functions or no lines"
        }
    }
}

extension Architecture {
    /// Whether a report's architecture name can refer to this architecture. Reports contain the
    /// architecture of the processor, which also runs other architectures of its family.
    public func isOfFamily(of name: String) -> Bool {
        name == self.name || (name.hasPrefix("arm64") && self.name.hasPrefix("arm64"))
    }
}
