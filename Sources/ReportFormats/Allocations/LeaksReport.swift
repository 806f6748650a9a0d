import CallStacks

/// Output of `leaks` and `malloc_history`: the stacks of allocations, each outermost frame first,
/// and then the images.
///
///     STACK OF 2 INSTANCES OF 'ROOT LEAK: <malloc in makeThumbnail>':
///     2   Shop                                  0x104a2f66c main + 48  main.c:5
///     1   Shop                                  0x104a2fab4 makeThumbnail + 24  main.c:3
///     0   libsystem_malloc.dylib                0x1879f71fc _malloc_zone_malloc + 152
///     ====
///         2 (10.0K) << TOTAL >>
///           1 (5.00K) ROOT LEAK: <malloc in makeThumbnail 0x7fcb670040f0> [5120]
///
/// Older versions write a stack on one line, as ``AllocationChain`` shows.
package enum LeaksReport: TextReportFormat {
    package static func isIdentified(by line: ArraySlice<UInt8>) -> Bool {
        isHeading(line) || AllocationHeading(line) != nil
    }

    /// Whether a line states the version of the output.
    static func isHeading(_ line: ArraySlice<UInt8>) -> Bool {
        headings.contains { line.starts(with: $0) }
    }

    private static let headings = ["leaks Report Version:", "malloc_history Report Version:"]
        .map { Array($0.utf8) }

    package static func read(_ input: TextReportInput, into file: inout CrashFile) {
        for range in reports(in: input.lines) {
            let parser = LeaksParser(input, range)
            if parser.stacks.isEmpty {
                guard parser.hasListing else { continue }
                file.addUnread(.leaksWithoutStacks, at: input.lines.range(of: range))
            } else {
                file.reports.append(AllocationReport(parser, input).report)
            }
        }
    }

    /// Splits lines before a process or version that repeats one of the same report.
    private static func reports(in lines: TextLines) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        var hasProcess = false
        var hasHeading = false
        for line in lines.indices {
            let content = lines.content(line)
            let isProcess = content.starts(with: "Process:".utf8)
            let isHeading = isHeading(content)
            guard isProcess || isHeading else { continue }
            if (isProcess && hasProcess) || (isHeading && hasHeading), ranges.count < 1_000 {
                ranges.append(start..<line)
                start = line
                (hasProcess, hasHeading) = (false, false)
            }
            hasProcess = hasProcess || isProcess
            hasHeading = hasHeading || isHeading
        }
        return ranges + [start..<lines.indices.upperBound]
    }
}

extension UnreadReason {
    static let leaksWithoutStacks = UnreadReason(
        "leaks", detail: "lists leaks, but has no stacks",
        suggestion: "run the program with MallocStackLogging=1", isReport: true)
}

/// The title of a stack: `STACK OF 2 INSTANCES OF 'ROOT LEAK: <malloc in makeThumbnail>':`.
struct AllocationHeading {
    /// `ROOT LEAK: <malloc in makeThumbnail>, 2 instances`
    let name: String

    init?(_ line: ArraySlice<UInt8>) {
        guard line.starts(with: Self.start) else { return nil }
        let bytes = NodeBytes(line)
        guard let blank = bytes.first(" ", in: Self.start.count..<bytes.count),
            let count = bytes.decimal(Self.start.count..<blank),
            let open = bytes.first(" OF '", in: blank..<bytes.count),
            let close = bytes.last("'", in: open + 5..<bytes.count)
        else { return nil }
        let counted = count == 1 ? "1 instance" : "\(count) instances"
        name = "\(bytes.text(open + 5..<close)), \(counted)"
    }

    private static let start = Array("STACK OF ".utf8)
}
