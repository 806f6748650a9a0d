import CallStacks
import StackRendering

/// Which images of the app want symbols, in one line:
///
///     crash.json: 5 of 9 app frames; missing: OrchardKit arm64 4C4C44E3-… (4 frames): give …
///
/// System images are left out: few people have their symbols.
struct MissingSymbols: Sendable {
    /// How many images are named.
    static let imageLimit = 5

    private var total = 0
    private var resolved = 0
    private var images: [Image] = []
    private var places: [ImageID: Int] = [:]
    /// Images of the app without an identity, which no symbols can be found for.
    private var unnamed: [String] = []

    private struct Image {
        var report: ImageReport
        var frameCount: Int
    }

    /// Says which images of the app the report gives no UUID of; `nil` where there are none.
    func identityLine(for name: String) -> String? {
        guard let first = unnamed.first else { return nil }
        let list = unnamed.map { "'\($0)'" }.joined(separator: ", ")
        return "\(name): gives no UUID of \(list): give it with --uuid '\(first)=UUID'"
    }

    /// Says that no report wants an identity that was given for an image of that name.
    func unusedIdentityLine(for name: String) -> String {
        let what = "--uuid \(name): no image without a UUID has this name"
        if unnamed.isEmpty { return "\(what): leave it out" }
        return "\(what): give it for \(unnamed.map { "'\($0)'" }.joined(separator: ", "))"
    }

    /// Whether every frame of the app has a function.
    var isNothing: Bool { resolved == total }

    mutating func add(_ answer: SymbolicatedDiagnostic) {
        let counts = answer.appFrameCounts
        total += counts.total
        resolved += counts.resolved
        // Without an offset an identity would not help.
        let located = Set(answer.frames.compactMap { $0.offset == nil ? nil : $0.imageName })
        for report in answer.wantedImages.app {
            add(Image(report: report, frameCount: report.frameCount))
            if report.image == nil, let name = report.name, located.contains(name),
                unnamed.count < Self.imageLimit, !unnamed.contains(name)
            {
                unnamed.append(name)
            }
        }
    }

    mutating func add(_ other: MissingSymbols) {
        total += other.total
        resolved += other.resolved
        for image in other.images { add(image) }
        for name in other.unnamed where !unnamed.contains(name) { unnamed.append(name) }
    }

    private mutating func add(_ image: Image) {
        guard let id = image.report.image else { return }
        if let place = places[id] {
            images[place].frameCount += image.frameCount
        } else {
            places[id] = images.count
            images.append(image)
        }
    }

    /// `nil` where no image of the app wants anything.
    ///
    /// - Parameter otherBuild: An image of the same name among the symbols that were given.
    func line(for name: String, otherBuild: (ImageReport) -> ImageID?) -> String? {
        guard !images.isEmpty else { return nil }
        // Those that most frames want come first.
        let ordered = images.enumerated().sorted {
            ($1.element.frameCount, $0.offset) < ($0.element.frameCount, $1.offset)
        }
        var named = ordered.prefix(Self.imageLimit).map {
            Self.words($0.element, otherBuild($0.element.report))
        }
        if images.count > named.count { named.append("\(images.count - named.count) more") }
        let list = named.joined(separator: ", ")
        let next =
            images.count == 1
            ? "give its dSYM or debug file with --symbols"
            : "give the dSYM or debug file of each with --symbols"
        return "\(name): \(resolved) of \(total) app frames; missing: \(list): \(next)"
    }

    private static func words(_ image: Image, _ otherBuild: ImageID?) -> String {
        let report = image.report
        let words = [report.name ?? "???", report.architecture, report.image?.description]
        let frames = counted(image.frameCount, "frame")
        var known = report.status == .noDebugInfo ? ", symbol table only" : ""
        if let otherBuild { known += ", the one given is of another build, \(otherBuild)" }
        return "\(words.compactMap(\.self).joined(separator: " ")) (\(frames)\(known))"
    }
}
