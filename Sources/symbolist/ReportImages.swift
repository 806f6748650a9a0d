import CallStacks
import CrashFiles
import SymbolStores
import Symbolication

/// The images that the stacks of a report name, each once, in the order of their first frame.
struct ReportImages {
    private(set) var images: [WantedImage] = []
    /// What messages call the report.
    let name: String

    /// - Throws: ``SymbolStoreError`` when it cannot be read.
    init(of input: InputBytes) throws(SymbolStoreError) {
        name = input.name
        var seen: Set<WantedImage> = []
        for report in CrashFileReader().read(try input.read()).reports {
            let diagnostic = report.resolved()
            let architectures = Dictionary(
                diagnostic.images.compactMap { image in image.id.map { ($0, image.architecture) } }
            ) { first, _ in first }
            for frame in diagnostic.tree.frames where frame.image != nil || frame.imageName != nil {
                // What a payload says is the architecture of the device, which also runs others.
                let image = WantedImage(
                    id: frame.image, name: frame.imageName,
                    architecture: frame.image.flatMap { architectures[$0] ?? nil })
                if seen.insert(image).inserted { images.append(image) }
            }
        }
    }
}

/// What `inspect --for` says for people: a line for each image that the report names.
///
///     crash.json names 3 images:
///       served        Orchard 4C4C4481-…: dSYMs/Orchard.app.dSYM/Contents/Resources/DWARF/Orchard
///       rebuilt       OrchardKit 4C4C44E3-…: dSYMs/OrchardKit…: same name, other UUID 5555…: …
struct MatchText {
    private(set) var text: String

    init(_ matches: [ImageMatch], of report: ReportImages) {
        let count = matches.count
        text = "\(report.name) names \(count) image\(count == 1 ? "" : "s"):\n"
        let isSystem = { (match: ImageMatch) in
            match.verdict == .absent && SystemImages.contains(match.image.name?[...] ?? "")
        }
        for match in matches where !isSystem(match) { add(match) }
        let systemCount = matches.filter(isSystem).count
        if systemCount > 0 { text += "  absent        \(systemCount) of the system\n" }
    }

    private mutating func add(_ match: ImageMatch) {
        let image = match.image
        let words = [image.name ?? "???", image.architecture, image.id?.description]
        let padding = String(repeating: " ", count: 14 - match.verdict.name.count)
        text +=
            "  \(match.verdict.name)\(padding)\(words.compactMap(\.self).joined(separator: " "))"
        let reason = [match.verdict.path, match.verdict.reason].compactMap(\.self)
        text += ": \(reason.joined(separator: ": "))\n"
    }
}
