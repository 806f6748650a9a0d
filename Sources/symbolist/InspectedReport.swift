import CallStacks
import CrashFiles
import SymbolStores
import Symbolication

/// What `inspect` tells of one report of a crash file.
struct InspectedReport {
    /// An image that frames lie in.
    struct Image {
        let wanted: ReportedImage
        var frameCount = 0
        /// What is there of its symbols; `nil` where nobody gave any.
        var verdict: ImageMatch.Verdict?
    }

    /// What messages call the report: its file, with a number where that holds several.
    let name: String
    let format: CrashFormat
    /// Its frames as they were received.
    let diagnostic: Diagnostic
    /// The same without symbols: what the report itself tells.
    let answer: SymbolicatedDiagnostic
    /// In the order of their first frame.
    var images: [Image] = []
    /// How many images it lists that no frame lies in.
    private(set) var idleImageCount = 0

    init(_ report: CrashReport, name: String) async {
        self.name = name
        format = report.format
        diagnostic = report.resolved()
        let nothing = LocalSymbols(SymbolInventory(paths: []), cachedIn: nil)
        answer = await Symbolicator(provider: nothing).symbolicate(diagnostic)
        addImages()
    }

    private mutating func addImages() {
        let listed = diagnostic.images
        let architectures = Dictionary(listed.map { ($0.id, $0.architecture) }) { first, _ in first
        }
        var places: [ReportedImage: Int] = [:]
        for frame in diagnostic.tree.frames where frame.image != nil || frame.imageName != nil {
            // What a payload says is the architecture of the device, which also runs others.
            let wanted = ReportedImage(
                id: frame.image, name: frame.imageName,
                architecture: frame.image.flatMap { architectures[$0] ?? nil })
            let place = places[wanted] ?? images.count
            if place == images.count { images.append(Image(wanted: wanted)) }
            places[wanted] = place
            images[place].frameCount += 1
        }
        let used = Set(images.compactMap(\.wanted.id))
        idleImageCount = listed.count { $0.id.map { !used.contains($0) } ?? false }
    }

    var frameCount: Int { diagnostic.tree.frames.count }

    /// Compares its images with debug files.
    mutating func match(_ slices: [DebugFileInspection.Slice]) {
        for index in images.indices {
            images[index].verdict = ImageMatch(of: images[index].wanted, among: slices).verdict
        }
    }

    /// Compares its images with symbols, by the headers of their files alone.
    mutating func match(_ symbols: LocalSymbols, _ otherBuilds: OtherBuilds) {
        for index in images.indices {
            images[index].verdict = Self.verdict(on: images[index], symbols, otherBuilds)
        }
    }

    private static func verdict(
        on image: Image, _ symbols: LocalSymbols, _ otherBuilds: OtherBuilds
    ) -> ImageMatch.Verdict {
        guard let id = image.wanted.id else { return .unidentified }
        if let origin = symbols.origin(of: id) {
            return origin.isWhole
                ? .served(path: origin.name)
                : .poor(path: origin.name, reason: "has no debug information: give its dSYM")
        }
        let report = ImageReport(
            image: id, name: image.wanted.name, architecture: image.wanted.architecture,
            status: .missing, frameCount: image.frameCount)
        guard let other = otherBuilds.insteadOf(report), let origin = symbols.origin(of: other)
        else { return .absent }
        return .rebuilt(path: origin.name, id: other)
    }
}
