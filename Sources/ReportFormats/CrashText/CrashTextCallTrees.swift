import Algorithms
import CallStacks
import MetricKitPayloads

/// Call trees in a text report, which iOS 8 to 11 wrote below the threads of reports about
/// excessive CPU use or wakeups.
///
///     Powerstats for:  Shop [4711]
///     Microstackshots: 12 samples (34%)
///       12 Shop 0x104a2c000 + 15156 [0x104a2fb34]
///         9 libsystem_kernel.dylib 0x18bd00000 + 6884 [0x18bd01ae4]
///
/// Its lines resemble frame lines.
struct CrashTextCallTrees {
    /// The lines of each section, including its heading.
    let sections: [Range<Int>]

    init(in lines: TextLines, _ range: Range<Int>) {
        var sections: [Range<Int>] = []
        var next = range.lowerBound
        while sections.count < Self.sectionsLimit,
            let node = (next..<range.upperBound).first(where: { Self.isNode(lines.content($0)) })
        {
            let start = Self.heading(of: node, in: lines, from: next)
            next =
                (node..<range.upperBound).first { CrashTextHeading(lines.content($0)) != nil }
                ?? range.upperBound
            sections.append(start..<next)
        }
        self.sections = sections
    }

    func contains(_ line: Int) -> Bool {
        let before = sections.partitioningIndex { $0.lowerBound > line }
        return before > 0 && sections[before - 1].contains(line)
    }

    /// Returns the trees as separate reports.
    ///
    /// - Parameters:
    ///   - images: The images of the report; a section may list its own.
    ///   - details: The details of the report.
    func reports(
        in input: TextReportInput, images: [ListedImage], details: DiagnosticDetails
    ) -> [CrashReport] {
        sections.flatMap { section in
            let lines = TextLines(input.lines.bytes, in: input.lines.range(of: section))
            var parser = SpindumpParser(
                TextReportInput(lines: lines, context: input.context), choice: .all, images: images)
            parser.read()
            return parser.reports.map { report in
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

    /// Whether a line is a node: its address is in brackets at the end, after the image offset.
    private static func isNode(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.last == UInt8(ascii: "]") || line.last?.isDigit == true else { return false }
        return SpindumpNotation.line(line)?.frame != nil
    }

    /// The maximum number of sections in a report. Further ones are ignored.
    static let sectionsLimit = 256
    private static let headings = ["Powerstats for:", "Microstackshot"].map { Array($0.utf8) }
    private static let headingLimit = 40

    /// Returns the first line of a section: its heading, or else the first line of the node's
    /// block.
    private static func heading(of node: Int, in lines: TextLines, from first: Int) -> Int {
        let candidates = (max(first, node - headingLimit)..<node).reversed()
        let above = candidates.prefix { line in
            let content = lines.content(line)
            return CrashTextHeading(content) == nil && FrameLine(content) == nil
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
