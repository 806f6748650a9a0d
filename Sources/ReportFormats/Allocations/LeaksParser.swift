import CallStacks
import MetricKitPayloads

/// Reads the stacks in one output of `leaks` or `malloc_history`, line by line.
struct LeaksParser {
    /// The stack of an allocation, outermost frame first.
    struct Stack {
        var name: String?
        var frames: [AllocationFrame] = []
        /// Whether all frames are on one line.
        var isChain = false
    }

    /// The stacks with frames.
    private(set) var stacks: [Stack] = []
    /// The lines about blocks of memory.
    private(set) var listing = UnparsedCrashLines()
    /// `3 leaks for 768 total leaked bytes`
    private(set) var summary: String?
    private(set) var remarks: [Remark] = []
    /// The lines that are not part of the header or the list of images.
    private(set) var ownLines: Set<Int> = []
    let range: Range<Int>
    private let lines: TextLines
    private let limits: PayloadLimits
    private var isInStack = false
    private var frameCount = 0
    /// The name of the next stack.
    private var nextName: String?

    init(_ input: TextReportInput, _ range: Range<Int>) {
        self.range = range
        lines = input.lines
        limits = input.context.limits
        for line in range where read(line, lines.content(line)) { ownLines.insert(line) }
        stacks.removeAll { $0.frames.isEmpty }
    }

    /// Whether blocks of memory are listed.
    var hasListing: Bool { !listing.sections.isEmpty }

    /// - Returns: Whether the line is about allocations.
    private mutating func read(_ line: Int, _ content: ArraySlice<UInt8>) -> Bool {
        if let heading = AllocationHeading(content) {
            begin(Stack(name: heading.name))
            isInStack = true
        } else if isInStack, let row = AllocationRow(content) {
            add(AllocationFrame(row, at: line, in: lines))
        } else if let chain = AllocationChain(content, limit: limits.nestedFrames + 1) {
            add(chain, at: line)
        } else if let block = AllocationListing(content) {
            nextName = block.name ?? nextName
            keep(line)
        } else if content.starts(with: "Process ".utf8) {
            readSummary(content)
        } else {
            isInStack = isInStack && !content.allSatisfy(\.isBlank) && content.first != 0x3d
            return LeaksReport.isHeading(content)
        }
        return true
    }

    private mutating func begin(_ stack: Stack) {
        guard stacks.count < limits.stacksPerTree else { return remarks.add(.frameLimit) }
        stacks.append(stack)
    }

    private mutating func add(_ frame: AllocationFrame) {
        guard let last = stacks.indices.last, frameCount < limits.framesPerTree
        else { return remarks.add(.frameLimit) }
        frameCount += 1
        stacks[last].frames.append(frame)
    }

    /// Adds the stack on one line.
    private mutating func add(_ chain: AllocationChain, at line: Int) {
        isInStack = false
        let count = stacks.count
        begin(Stack(name: chain.name ?? nextName, isChain: true))
        nextName = nil
        guard stacks.count > count else { return }
        for var frame in chain.frames {
            frame.line = line
            frame.range =
                lines.fileOffset(
                    inLine: line, at: frame.range.lowerBound)..<lines.fileOffset(
                    inLine: line, at: frame.range.upperBound)
            add(frame)
        }
    }

    private mutating func keep(_ line: Int) {
        isInStack = false
        if !listing.add(lines.string(line)) { remarks.add(.sizeLimit) }
    }

    /// Reads `Process 4976: 3 leaks for 768 total leaked bytes.`
    private mutating func readSummary(_ content: ArraySlice<UInt8>) {
        let text = String(decoding: content.prefix(256), as: UTF8.self)
        guard let colon = text.firstRange(of: ": ") else { return }
        let said = text[colon.upperBound...].trimmed
        guard said.hasSuffix("total leaked bytes.") else { return }
        summary = summary ?? String(said.dropLast())
    }
}

extension AllocationFrame {
    fileprivate init(_ row: AllocationRow, at line: Int, in lines: TextLines) {
        let start = lines.fileOffset(inLine: line, at: row.frame.restRange.lowerBound)
        let end = lines.fileOffset(inLine: line, at: row.frame.restRange.upperBound)
        self.init(
            line: line, range: start..<end, image: row.frame.image, address: row.frame.address,
            base: row.frame.rest.raw?.base, function: row.function)
    }
}
