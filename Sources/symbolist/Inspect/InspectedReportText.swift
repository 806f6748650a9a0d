import CallStacks
import ReportFormats
import StackRendering
import SymbolStores
import Symbolication

/// The text that `inspect` prints for a report: its properties, and a line per image.
///
///     crash.ips
///       format    Apple's .ips
///       frames    23 in 4 threads
///       found     Orchard arm64 4C4C4481-…, 9 frames: dSYMs/Orchard.app.dSYM/…/Orchard
///       rebuilt   OrchardKit arm64 4C4C44E3-…, 3 frames: dSYMs/…: same name, other UUID 5555…: …
struct InspectedReportText {
    private(set) var text: String

    /// - Parameter showsFrames: Whether every received frame is listed.
    init(_ report: InspectedReport, showsFrames: Bool) {
        text = report.name + "\n"
        let details = report.withoutSymbols.details
        add("format", report.format.displayName)
        add("title", report.withoutSymbols.title)
        add("process", details.processName)
        add("app", details.appWithVersion)
        add("system", details.system)
        add("time", details.timestamp)
        add("frames", Self.frames(report))
        for remark in report.withoutSymbols.remarks { add("remark", remark.words) }
        addImages(of: report)
        if showsFrames { text += ReceivedFramesText(report.diagnostic.tree).text }
    }

    private mutating func add(_ label: String, _ value: String?) {
        guard let value else { return }
        text += "  \(padded(label, to: 9)) \(Console.oneLine(value))\n"
    }

    private static func frames(_ report: InspectedReport) -> String {
        "\(report.frameCount) in \(counted(report.diagnostic.tree.stacks.count, "stack"))"
    }

    private mutating func addImages(of report: InspectedReport) {
        let isFolded = { (image: InspectedReport.Image) in
            image.verdict == .absent && SystemImageNames.contains(image.wanted.name?[...] ?? "")
        }
        for image in report.images where !isFolded(image) { add(image) }
        let system = report.images.filter(isFolded)
        if !system.isEmpty {
            let frames = system.reduce(0) { $0 + $1.frameCount }
            add("missing", "\(counted(system.count, "system image")), \(counted(frames, "frame"))")
        }
        if report.idleImageCount > 0 {
            add("unused", "\(counted(report.idleImageCount, "more image")), without frames")
        }
    }

    private mutating func add(_ image: InspectedReport.Image) {
        let wanted = image.wanted
        let name = [wanted.name ?? "???", wanted.architecture, wanted.id?.description]
        let words = name.compactMap(\.self).joined(separator: " ")
        let reason = [
            "\(words), \(counted(image.frameCount, "frame"))", image.verdict?.path,
            image.verdict?.reason,
        ]
        add(
            wanted.id == nil ? "no UUID" : image.verdict?.word ?? "image",
            reason.compactMap(\.self).joined(separator: ": "))
    }
}

extension ImageMatch.Verdict {
    fileprivate var word: String {
        switch self {
        case .served: "found"
        case .poor: "poor"
        case .rebuilt: "rebuilt"
        case .otherArchitecture: "other"
        case .unidentified: "no UUID"
        case .absent: "missing"
        }
    }
}
