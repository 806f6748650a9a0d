import CallStacks
import MetricKitPayloads

/// Call trees in a text report: what systems from iOS 8 to 11 wrote below the threads of a report
/// about too much processor time or too many wakeups.
///
///     Powerstats for:  Shop [4711]
///     Microstackshots: 12 samples (34%)
///       12 Shop 0x104a2c000 + 15156 [0x104a2fb34]
///         9 libsystem_kernel.dylib 0x18bd00000 + 6884 [0x18bd01ae4]
///
/// Its lines look like those of frames, and are none.
struct CrashTextSamples {
    /// The lines of each section, from its heading on.
    let sections: [Range<Int>]

    init(in lines: TextLines, _ range: Range<Int>) {
        var sections: [Range<Int>] = []
        var next = range.lowerBound
        while sections.count < Self.sectionsLimit,
            let node = (next..<range.upperBound).first(where: { Self.isNode(lines.content($0)) })
        {
            let start = Self.heading(of: node, in: lines, from: next)
            next =
                (node..<range.upperBound).first { CrashTextHead(lines.content($0)) != nil }
                ?? range.upperBound
            sections.append(start..<next)
        }
        self.sections = sections
    }

    func contains(_ line: Int) -> Bool {
        let before = sections.orderedPrefixCount { $0.lowerBound <= line }
        return before > 0 && sections[before - 1].contains(line)
    }

    /// The trees as reports of their own.
    ///
    /// - Parameters:
    ///   - images: What the report lists; a section may list its own.
    ///   - details: Of the report.
    func reports(
        in part: TextPart, images: [ReportedImage], details: DiagnosticDetails
    ) -> [CrashReport] {
        sections.flatMap { section in
            let lines = TextLines(part.lines.bytes, in: part.lines.range(of: section))
            var reading = SpindumpReading(
                TextPart(lines: lines, context: part.context), choice: .all, images: images)
            reading.read()
            return reading.reports.map { report in
                var report = report
                var diagnostic = report.resolved()
                diagnostic.details = details
                if diagnostic.kind == .unknown, details.isAboutProcessorTime {
                    diagnostic.kind = .cpuException
                }
                report.format = .crashText
                report.content = .resolved(diagnostic)
                return report
            }
        }
    }

    /// A node has its address in brackets at the end, behind the offset in its image.
    private static func isNode(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.last == UInt8(ascii: "]") || line.last?.isDigit == true else { return false }
        return SpindumpNotation.line(line)?.frame != nil
    }

    /// The most sections of a report; of more, the lines are none of any stack.
    static let sectionsLimit = 256
    private static let headings = ["Powerstats for:", "Microstackshot"].map { Array($0.utf8) }
    private static let headingLimit = 40

    /// The first line of a section: its heading, else that of the block of lines that the node is in.
    private static func heading(of node: Int, in lines: TextLines, from first: Int) -> Int {
        let candidates = (max(first, node - headingLimit)..<node).reversed()
        let above = candidates.prefix { line in
            let content = lines.content(line)
            return CrashTextHead(content) == nil && FrameLine(content) == nil
        }
        let heading = above.last { line in
            headings.contains { lines.content(line).starts(with: $0) }
        }
        let block = above.prefix { !lines.content($0).allSatisfy(\.isBlank) }
        return heading ?? block.last ?? node
    }
}

extension DiagnosticDetails {
    fileprivate var isAboutProcessorTime: Bool { exceptionSubtype?.hasPrefix("CPU") == true }
}
