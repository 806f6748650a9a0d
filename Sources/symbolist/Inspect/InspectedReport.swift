import CallStacks
import ReportFormats
import SymbolStores
import Symbolication

/// One report of a crash file, as `inspect` shows it.
struct InspectedReport {
    /// An image with frames.
    struct Image {
        let wanted: ListedImage
        var frameCount = 0
        /// The match with the available symbols, or `nil` if no symbols were given.
        var verdict: ImageMatch.Verdict?
    }

    /// The name in messages: the file, with a number if it contains several reports.
    let name: String
    let format: CrashFormat
    /// The received frames.
    let diagnostic: Diagnostic
    /// The result of symbolication without any symbols: the information in the report itself.
    let withoutSymbols: SymbolicatedDiagnostic
    /// The images, in the order of their first frame.
    var images: [Image] = []
    /// The number of listed images without frames.
    private(set) var idleImageCount = 0

    init(_ report: CrashReport, name: String) async {
        self.name = name
        format = report.format
        diagnostic = report.resolved()
        let nothing = LocalSymbolProvider(SymbolInventory(paths: []), cachedIn: nil)
        withoutSymbols = await Symbolicator(provider: nothing).symbolicate(diagnostic)
        addImages()
    }

    private mutating func addImages() {
        let listed = diagnostic.images
        let architectures = Dictionary(listed.map { ($0.id, $0.architecture) }) { first, _ in first
        }
        var indices: [ListedImage: Int] = [:]
        for frame in diagnostic.tree.frames where frame.image != nil || frame.imageName != nil {
            // A payload states the architecture of the device, which also runs code of other
            // architectures.
            let wanted = ListedImage(
                id: frame.image, name: frame.imageName,
                architecture: frame.image.flatMap { architectures[$0] ?? nil })
            let index = indices[wanted] ?? images.count
            if index == images.count { images.append(Image(wanted: wanted)) }
            indices[wanted] = index
            images[index].frameCount += 1
        }
        let used = Set(images.compactMap(\.wanted.id))
        idleImageCount = listed.count { $0.id.map { !used.contains($0) } ?? false }
    }

    var frameCount: Int { diagnostic.tree.frames.count }

    /// Compares the images with debug files.
    mutating func match(_ slices: [DebugFileInspection.Slice], caches: [LocatedCache]) {
        for index in images.indices {
            let wanted = images[index].wanted
            images[index].verdict =
                ImageMatch(of: wanted, among: caches)?.verdict
                ?? ImageMatch(of: wanted, among: slices).verdict
        }
    }

    /// Compares the images with symbols, by the headers of their files alone.
    mutating func match(_ symbols: LocalSymbolProvider, otherBuilds: OtherBuildFinder) {
        for index in images.indices {
            images[index].verdict = Self.verdict(
                on: images[index], symbols: symbols, otherBuilds: otherBuilds)
        }
    }

    private static func verdict(
        on image: Image, symbols: LocalSymbolProvider, otherBuilds: OtherBuildFinder
    ) -> ImageMatch.Verdict {
        guard let id = image.wanted.id else { return .unidentified }
        if let origin = symbols.origin(of: id) {
            return origin.isWhole
                ? .served(path: origin.name)
                : .poor(path: origin.name, reason: "has no debug information: pass its dSYM")
        }
        let report = ImageStatus(
            image: id, name: image.wanted.name, architecture: image.wanted.architecture,
            status: .missing, frameCount: image.frameCount)
        guard let other = otherBuilds.otherBuild(of: report), let origin = symbols.origin(of: other)
        else { return .absent }
        return .rebuilt(path: origin.name, id: other)
    }
}
