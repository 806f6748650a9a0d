import CallStacks

/// Which images of the app want symbols, in one line for an input:
///
///     crash.json: 5 of 9 app frames; missing: OrchardKit arm64 4C4C44E3-… (4 frames): give …
///
/// System images are left out: few people have their symbols.
struct MissingSymbols {
    /// How many images are named.
    static let imageLimit = 5

    private var total = 0
    private var resolved = 0
    private var images: [(report: ImageReport, frameCount: Int)] = []

    mutating func add(_ answer: SymbolicatedDiagnostic) {
        let counts = answer.appFrameCounts
        total += counts.total
        resolved += counts.resolved
        for report in answer.wantedImages.app where report.image != nil {
            if let place = images.firstIndex(where: { $0.report.image == report.image }) {
                images[place].frameCount += report.frameCount
            } else {
                images.append((report, report.frameCount))
            }
        }
    }

    /// `nil` where no image of the app wants anything.
    func line(for name: String) -> String? {
        guard !images.isEmpty else { return nil }
        var named = images.prefix(Self.imageLimit).map { image, frameCount in
            let words = [image.name ?? "???", image.architecture, image.image?.description]
            let frames = frameCount == 1 ? "1 frame" : "\(frameCount) frames"
            let known = image.status == .noDebugInfo ? ", symbol table only" : ""
            return "\(words.compactMap(\.self).joined(separator: " ")) (\(frames)\(known))"
        }
        if images.count > named.count { named.append("\(images.count - named.count) more") }
        let list = named.joined(separator: ", ")
        let next =
            images.count == 1
            ? "give its dSYM or debug file with --symbols"
            : "give the dSYM or debug file of each with --symbols"
        return "\(name): \(resolved) of \(total) app frames; missing: \(list): \(next)"
    }
}
