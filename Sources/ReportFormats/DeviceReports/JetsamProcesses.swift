import CallStacks
import JSONText

/// One process of a jetsam report.
struct JetsamProcess {
    let name: String
    let number: UInt64?
    /// The identity of its main executable.
    let image: ImageID?
    /// The memory that it occupies, in pages.
    let pages: UInt64
    /// Why it was ended, or `nil` if it was not.
    let reason: String?

    /// Returns `nil` if the value is redacted.
    init?(_ value: JSONValue) {
        guard value.kind == .object else { return nil }
        name = value["name"]?.nonEmpty ?? "???"
        number = value["pid"]?.unsigned
        image = value["uuid"]?.string.flatMap { ImageID($0) }
        pages = value["rpages"]?.unsigned ?? 0
        reason = value["reason"]?.nonEmpty
    }

    /// `Orchard [4711]`
    var label: String { number.map { "\(name) [\($0)]" } ?? name }
}

/// The processes of a jetsam report.
struct JetsamProcesses {
    private let all: [JetsamProcess]
    private let pageSize: UInt64?
    /// The name of the largest process, as the report states it.
    private let largestName: String?
    /// Whether the report has more processes than can be read.
    let isCut: Bool
    let isRedacted: Bool

    init(_ root: JSONValue, limit: Int) {
        let list = root["processes"]
        all = list?.elements.prefix(limit).compactMap(JetsamProcess.init) ?? []
        isCut = list?.hasElements(beyond: limit) == true
        isRedacted = list?.isRedacted == true
        pageSize = root["memoryStatus"]?["pageSize"]?.unsigned
        largestName = root["largestProcess"]?.nonEmpty
    }

    /// The first process that was ended, or else the largest one.
    var subject: JetsamProcess? { ended.first ?? largest }

    /// The processes that were ended, in the order of the report.
    private var ended: [JetsamProcess] { all.filter { $0.reason != nil } }

    /// The process that the report names as the largest, or else the one with the most pages.
    var largest: JetsamProcess? {
        all.filter { $0.name == largestName }.max { $0.pages < $1.pages }
            ?? all.max { $0.pages < $1.pages }
    }

    /// `2.0 GiB (131072 pages)`, or only the pages if their size is unknown.
    func memory(of process: JetsamProcess) -> String {
        let pages = "\(process.pages) pages"
        guard let pageSize, pageSize > 0 else { return pages }
        let (bytes, isTooLarge) = process.pages.multipliedReportingOverflow(by: pageSize)
        return isTooLarge ? pages : "\(Self.size(bytes)) (\(pages))"
    }

    /// A line for the largest process, and one for each other that was ended.
    var summary: String {
        let largest = largest.map { "largest process: \($0.label), \(memory(of: $0))" }
        let ended = ended.dropFirst().prefix(Self.summaryLimit).map { process in
            "also ended: \(process.label), \(memory(of: process)), \(process.reason ?? "")"
        }
        return ([largest].compactMap { $0 } + ended).joined(separator: "\n")
    }

    private static let summaryLimit = 100

    /// A line for each process, the largest first.
    var section: ReportSection {
        let sorted = all.enumerated().sorted {
            ($1.element.pages, $0.offset) < ($0.element.pages, $1.offset)
        }
        let lines = sorted.prefix(ReportSection.linesLimit - 1).map { _, process in
            [
                "  \(process.label)", memory(of: process), process.image?.description,
                process.reason,
            ].compactMap { $0 }.joined(separator: ", ")
        }
        return ReportSection(lines: ["Processes:"] + lines)
    }

    /// The main executables of a process and of the largest one.
    func images(first: JetsamProcess) -> [ListedImage] {
        var images: [ListedImage] = []
        for process in [first, largest].compactMap({ $0 }) where process.image != nil {
            let image = ListedImage(id: process.image, name: process.name)
            if !images.contains(image) { images.append(image) }
        }
        return images
    }

    /// `2.0 GiB`
    private static func size(_ bytes: UInt64) -> String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] where bytes >> shift > 0 {
            let tenths = ((bytes >> (shift - 10)) * 10) >> 10
            return "\(tenths / 10).\(tenths % 10) \(unit)"
        }
        return "\(bytes) bytes"
    }
}
