import CallStacks
import SymbolStores
import Symbolication

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
