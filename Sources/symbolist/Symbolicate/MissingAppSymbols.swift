import CallStacks
import StackRendering

/// The app's images that lack symbols, in one line:
///
///     crash.json: 5 of 9 app frames; missing: OrchardKit arm64 4C4C44E3-… (4 frames): pass …
///
/// System images are omitted, because few users have their symbols.
struct MissingAppSymbols: Sendable {
    /// The maximum number of images that are named.
    static let imageLimit = 5

    private var total = 0
    private var resolved = 0
    private var images: [Image] = []
    private var indices: [ImageID: Int] = [:]
    /// The names of app images without an identity, for which no symbols can be found.
    private var unnamed: [String] = []

    private struct Image {
        var report: ImageStatus
        var frameCount: Int
    }

    /// Returns a line about app images that the report states no UUID for, or `nil` if there are
    /// none.
    func identityLine(for name: String) -> String? {
        guard let first = unnamed.first else { return nil }
        let list = unnamed.map { "'\($0)'" }.joined(separator: ", ")
        return "\(name): has no UUID for \(list): set it with --uuid '\(first)=UUID'"
    }

    /// Returns a line about a `--uuid` for an image name that no report uses.
    func unusedIdentityLine(for name: String) -> String {
        let what = "--uuid \(name): no image without a UUID has this name"
        if unnamed.isEmpty { return "\(what): leave it out" }
        return "\(what): use \(unnamed.map { "'\($0)'" }.joined(separator: ", "))"
    }

    /// Whether every app frame has a function.
    var isNothing: Bool { resolved == total }

    mutating func add(_ diagnostic: SymbolicatedDiagnostic) {
        let counts = diagnostic.appFrameCounts
        total += counts.total
        resolved += counts.resolved
        // An identity does not help an image whose frames have no offset, or one with two of them.
        let located = Set(
            diagnostic.frames.compactMap { frame in
                let isHelped = !frame.remarks.contains(.identityContradicted)
                return frame.offset != nil && isHelped ? frame.imageName : nil
            })
        for report in diagnostic.imagesLackingSymbols.app {
            add(Image(report: report, frameCount: report.frameCount))
            if report.image == nil, let name = report.name, located.contains(name) {
                add(unnamed: name)
            }
        }
    }

    mutating func add(_ other: MissingAppSymbols) {
        total += other.total
        resolved += other.resolved
        for image in other.images { add(image) }
        for name in other.unnamed { add(unnamed: name) }
    }

    private mutating func add(unnamed name: String) {
        guard unnamed.count < Self.imageLimit, !unnamed.contains(name) else { return }
        unnamed.append(name)
    }

    private mutating func add(_ image: Image) {
        guard let id = image.report.image else { return }
        if let index = indices[id] {
            images[index].frameCount += image.frameCount
        } else {
            indices[id] = images.count
            images.append(image)
        }
    }

    /// Returns the line about missing symbols, or `nil` if no app image lacks any.
    ///
    /// - Parameter otherBuild: Returns an image of the same name among the given symbols.
    func line(for name: String, otherBuild: (ImageStatus) -> ImageID?) -> String? {
        guard !images.isEmpty else { return nil }
        // Images with the most frames come first.
        let ordered = images.enumerated().sorted {
            ($1.element.frameCount, $0.offset) < ($0.element.frameCount, $1.offset)
        }
        var named = ordered.prefix(Self.imageLimit).map {
            Self.words($0.element, otherBuild: otherBuild($0.element.report))
        }
        if images.count > named.count { named.append("\(images.count - named.count) more") }
        let list = named.joined(separator: ", ")
        let next =
            images.count == 1
            ? "pass its dSYM or debug file with --symbols"
            : "pass the dSYM or debug file of each with --symbols"
        return "\(name): \(resolved) of \(total) app frames; missing: \(list): \(next)"
    }

    private static func words(_ image: Image, otherBuild: ImageID?) -> String {
        let report = image.report
        let words = [report.name ?? "???", report.architecture, report.image?.description]
        let frames = counted(image.frameCount, "frame")
        var known = report.status == .noDebugInfo ? ", symbol table only" : ""
        if let otherBuild { known += ", the given symbols are of another build, \(otherBuild)" }
        return "\(words.compactMap(\.self).joined(separator: " ")) (\(frames)\(known))"
    }
}
