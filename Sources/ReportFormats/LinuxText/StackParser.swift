import CallStacks
import MetricKitPayloads

/// Parses the lines of one report in a notation.
struct StackParser {
    /// A line with a frame, and its position.
    struct Line {
        var line: Int
        var frame: StackFrameLine
        /// Whether a signal interrupted it.
        var isInterrupted = false
        /// The later line with the frame's source line.
        var sourceLine: Int?
    }

    struct Stack {
        var name: String?
        var lines: [Line] = []
    }

    var notation: any StackNotation.Type { prefixed.notation }
    private var prefixed: PrefixedNotation
    private(set) var details = DiagnosticDetails()
    private(set) var kind: DiagnosticKind
    private(set) var stacks: [Stack] = []
    private(set) var images: StackImages
    private(set) var range: Range<Int>
    private(set) var remarks: [Remark] = []
    private let limits: PayloadLimits
    private var frameCount = 0
    /// The number of lines since the last one in the notation.
    private var unknownLineCount = 0
    /// The number of lines of other processes since the last one in the notation.
    private var foreignLineCount = 0
    /// The line before a stack, which is the stack's title.
    private var title: String?
    private var isSignalHandled = false
    /// A prefix of the name of the stack that crashed, if the report has it.
    private var crashedStack: String?
    /// Whether the next line is the report's message.
    private var awaitsMessage = false
    private(set) var isOver = false

    /// The index of the stack that crashed, or `nil` if none did.
    ///
    /// Debuggers print the innermost frame when a program stops, and again at the start of its
    /// stack.
    var attributedStack: Int? {
        guard notation.hasCrashedStack else { return nil }
        let named = crashedStack.flatMap { name in
            stacks.firstIndex { $0.name?.hasPrefix(name) == true }
        }
        let first = named ?? 0
        guard stacks.indices.contains(first), stacks[first].lines.count == 1,
            let code = stacks[first].lines.first?.frame.code, code.address != nil
        else { return first }
        let whole = stacks[(first + 1)...].firstIndex { $0.lines.first?.frame.code == code }
        return whole ?? first
    }

    /// - Parameter before: The previous report, if it was ended by a limit; its images apply to
    ///   this report too.
    init(
        _ prefixed: PrefixedNotation, at line: Int, after before: Self?, limits: PayloadLimits
    ) {
        self.prefixed = prefixed
        kind = prefixed.notation.kind
        self.limits = limits
        images = before?.images ?? StackImages(limit: limits.imagesPerTree)
        range = line..<line
    }

    /// Adds a line.
    ///
    /// - Returns: Whether it may belong to the report. A line that starts another one does not.
    mutating func read(_ line: Int, _ content: ArraySlice<UInt8>) -> Bool {
        let known = prefixed.prefix
        let said = prefixed.parse(content)
        if prefixed.prefix != known { removePrefixFromNames() }
        guard let said else {
            return LinuxStacks.number(begunBy: content) == nil && readOther(content)
        }
        if case .report = said, frameCount > 0 { return false }
        if beginsBeyondLimit(said) { return false }
        unknownLineCount = 0
        range = range.lowerBound..<line + 1
        take(said, at: line)
        foreignLineCount = 0
        return !isOver
    }

    /// Adds a line that is not in the notation: the title of a stack, or output of another program.
    private mutating func readOther(_ line: ArraySlice<UInt8>) -> Bool {
        unknownLineCount += 1
        // In a log, a line without the prefix is from another process.
        guard let prefix = prefixed.prefix.match(line) else {
            foreignLineCount += 1
            return unknownLineCount <= notation.gapLimit
        }
        let text = TerminalText.shown(Array(line.dropFirst(prefix.length))).trimmed.text
        title = text.isEmpty ? nil : text.trimmedColon
        if awaitsMessage {
            details.runtimeMessage = details.runtimeMessage ?? text
            awaitsMessage = false
        }
        return unknownLineCount <= notation.gapLimit
    }

    /// Removes the prefix from names in lines that do not show where the prefix ends.
    private mutating func removePrefixFromNames() {
        for index in stacks.indices {
            guard let name = stacks[index].name.map({ Array($0.utf8)[...] }) else { continue }
            stacks[index].name = name.dropFirst(prefixed.prefixLength(in: name)).text
        }
        if let text = title.map({ Array($0.utf8)[...] }) {
            title = text.dropFirst(prefixed.prefixLength(in: text)).text
        }
    }

    /// Whether a line starts a stack that exceeds a limit, so that it belongs to the next report.
    private func beginsBeyondLimit(_ said: StackLine) -> Bool {
        guard case .stack = said else { return false }
        return stacks.count >= limits.stacksPerTree
            || frameCount + limits.nestedFrames >= limits.framesPerTree
    }

    private mutating func take(_ said: StackLine, at line: Int) {
        switch said {
        case .frame(let frame): add(frame, at: line)
        case .report(let head): take(head)
        case .stack(let name, let stop):
            beginStack(name)
            if let stop, let name { record(stop, of: name) }
        case .source(let source): add(source, at: line)
        case .signalHandler: isSignalHandled = true
        case .image(let image): images.add(image)
        case .mapping(let mapping): images.add(mapping)
        case .process(let name): details.processName = details.processName ?? name
        case .signal(let name, let stack):
            if details.signal == nil {
                details.setSignal(named: UInt64(name).flatMap(LinuxSignal.name) ?? name)
            }
            crashedStack = crashedStack ?? stack
        case .crashed(let stack): crashedStack = crashedStack ?? stack
        case .time(let text): details.timestamp = details.timestamp ?? text
        case .other: break
        case .end(let image):
            image.map { images.add($0) }
            isOver = true
        }
        if images.isFull { remarks.add(.sizeLimit) }
    }

    private mutating func take(_ head: StackReportHead) {
        kind = head.kind
        details.exceptionName = details.exceptionName ?? head.exception
        details.runtimeMessage = details.runtimeMessage ?? head.message
        details.processName = details.processName ?? head.process
        if let signal = head.signal { details.setSignal(named: signal) }
        awaitsMessage = head.exception != nil && head.message == nil
        title = nil
    }

    /// Records the signal or Mach exception that stopped a thread.
    private mutating func record(_ stop: String, of thread: String) {
        crashedStack = crashedStack ?? String(thread.prefix { $0 != "," }) + ","
        let isKnown =
            details.signal != nil || details.exceptionType != nil || details.exceptionName != nil
        if !isKnown { details.setException(named: stop) }
    }

    private mutating func beginStack(_ name: String?) {
        let name = name.map { String($0.prefix(limits.nameLength)) }
        if let last = stacks.indices.last, stacks[last].lines.isEmpty {
            stacks[last].name = name ?? stacks[last].name
        } else {
            stacks.append(Stack(name: name))
        }
        title = nil
    }

    private mutating func add(_ frame: StackFrameLine, at line: Int) {
        let last = stacks.last?.lines.last
        let isFirst =
            stacks.last.map { !$0.lines.isEmpty && startsStack(frame, after: last) } ?? true
        if isFirst { beginStack(title) }
        guard frameCount < limits.framesPerTree, stacks.count <= limits.stacksPerTree else {
            remarks.add(.frameLimit)
            return
        }
        frameCount += 1
        let isInterrupted = isSignalHandled || last?.frame.function?.isSignalReturn == true
        stacks[stacks.count - 1].lines.append(
            Line(line: line, frame: frame, isInterrupted: !isFirst && isInterrupted))
        isSignalHandled = false
        title = nil
    }

    private func startsStack(_ frame: StackFrameLine, after last: Line?) -> Bool {
        guard let number = frame.number, let before = last?.frame.number else { return false }
        return number <= before && !(number == before && last?.frame.function?.isInlined == true)
    }

    private mutating func add(_ source: StackSourceLine, at line: Int) {
        guard let stack = stacks.indices.last, let last = stacks[stack].lines.indices.last,
            stacks[stack].lines[last].line + foreignLineCount + 1 == line
        else { return }
        var frame = stacks[stack].lines[last].frame
        frame.function?.file = source.file
        frame.function?.line = source.line
        frame.function?.column = source.column
        if let distance = source.distance { frame.function?.distance = distance }
        frame.code.address = frame.code.address ?? source.address
        stacks[stack].lines[last].frame = frame
        stacks[stack].lines[last].sourceLine = line
    }
}

extension ReportedFunction {
    /// Whether the function is the one to which the kernel lets signal handlers return.
    fileprivate var isSignalReturn: Bool {
        ["__restore_rt", "__restore", "__kernel_rt_sigreturn", "_sigtramp"].contains(name)
    }
}
