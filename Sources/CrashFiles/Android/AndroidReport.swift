import CallStacks
import MetricKitPayloads

/// Text of a crash on Android: a tombstone, or what its crash daemon logs. Traces of an app that does
/// not respond are read too, as far as they have native frames.
enum AndroidReport: TextReportReading {
    static func isAnchor(_ line: ArraySlice<UInt8>) -> Bool {
        let start = NodeBytes(line).androidContentStart
        return isFingerprint(line.dropFirst(start)) || AndroidFrameLine(line)?.number == 0
    }

    static func read(_ part: TextPart, into file: inout CrashFile) {
        var reading = AndroidReading(part)
        reading.read()
        file.reports += reading.reports
    }

    /// Whether a line begins a tombstone.
    static func isFingerprint(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: "Build fingerprint: ".utf8)
    }
}

/// The lines of a tombstone, one after the other.
struct AndroidReading {
    private let lines: TextLines
    private let limits: PayloadLimits
    private(set) var reports: [CrashReport] = []
    private var start = 0
    private var details = DiagnosticDetails()
    private var stacks: StackCollector
    private var records: [AndroidRewriting.Record] = []
    /// The files that frames are in, which tell whose they are.
    private var images: [ReportedImage] = []
    private var imagePaths: Set<String> = []
    private var threadName: String?
    /// Whether it is about an app that does not respond.
    private var isTrace = false

    init(_ part: TextPart) {
        lines = part.lines
        limits = part.context.limits
        stacks = StackCollector(limits: limits)
    }

    mutating func read() {
        for line in lines.indices {
            let content = lines.content(line)
            let bytes = NodeBytes(content)
            if let frame = AndroidFrameLine(content) {
                if bytes.isInAndroidTrace { isTrace = true }
                add(frame, at: line)
            } else {
                let bare = content.dropFirst(bytes.androidContentStart)
                if AndroidReport.isFingerprint(bare) { finish(before: line) }
                read(String(decoding: bare, as: UTF8.self).trimmed)
            }
        }
        finish(before: lines.indices.upperBound)
    }

    /// Reads a line that is no frame.
    private mutating func read(_ text: String) {
        if let abi = Self.value(of: "ABI: '", in: text, until: "'") {
            details.architecture = abi == "arm" ? "armv7" : abi
        } else if let message = Self.value(of: "Abort message: '", in: text, until: "'") {
            details.runtimeMessage = details.runtimeMessage ?? message
        } else if text.hasPrefix("pid: ") {
            endStack()
            threadName = Self.value(of: ", name: ", in: text, until: "  >>>")
            details.processName =
                details.processName ?? Self.value(of: ">>> ", in: text, until: " <<<")
        } else if text.hasPrefix("\""), let name = Self.value(of: "\"", in: text, until: "\" ") {
            endStack()
            threadName = name
        } else if let command = Self.value(of: "Cmd line: ", in: text, until: nil) {
            details.processName = details.processName ?? command
        } else if text.hasPrefix("signal "), details.signal == nil {
            Self.value(of: " (", in: text, until: ")").map { details.setSignal(named: $0) }
        } else if let time = Self.value(of: "Timestamp: ", in: text, until: nil) {
            details.timestamp = details.timestamp ?? time
        }
    }

    /// What stands behind a mark, up to another one or the end.
    private static func value(of mark: String, in text: String, until end: String?) -> String? {
        guard let start = text.firstRange(of: mark)?.upperBound else { return nil }
        guard let end else { return String(text[start...]) }
        return text[start...].firstRange(of: end).map { String(text[start..<$0.lowerBound]) }
    }

    private mutating func add(_ frame: AndroidFrameLine, at line: Int) {
        if frame.number == 0, !stacks.isAtStart { endStack() }
        let physical = stacks.append(
            CallFrame(
                image: frame.image, imageName: frame.imageName,
                site: .adjusted(ImageOffset(frame.address)),
                remarks: frame.image == nil ? [.noUUID] : []),
            given: frame.function, isInlined: frame.isInlined)
        guard let physical else { return }
        addImage(of: frame)
        records.append(AndroidRewriting.Record(line: line, physical: physical))
    }

    private mutating func addImage(of frame: AndroidFrameLine) {
        guard images.count < limits.imagesPerTree, let path = frame.imagePath,
            imagePaths.insert(path).inserted
        else { return }
        images.append(ReportedImage(id: frame.image, name: frame.imageName, path: path))
    }

    /// The first thread of a tombstone is the one that crashed, and the main thread of an app is what
    /// responds.
    private mutating func endStack() {
        guard stacks.depth > 0 else { return }
        let isAttributed = isTrace ? threadName == "main" : stacks.tree.stacks.isEmpty
        stacks.endStack(name: threadName, isAttributed: isAttributed)
        threadName = nil
    }

    private mutating func finish(before end: Int) {
        endStack()
        guard !stacks.tree.frames.isEmpty else { return }
        var diagnostic = Diagnostic(
            kind: isTrace ? .hang : .crash, details: details, tree: stacks.tree)
        diagnostic.images = images
        reports.append(
            CrashReport(
                .androidText, range: lines.range(of: start..<end), label: details.processName,
                content: .resolved(diagnostic),
                rewriting: AndroidRewriting(lines: lines, records: records)))
        details = DiagnosticDetails()
        stacks = StackCollector(limits: limits)
        records = []
        images = []
        imagePaths = []
        isTrace = false
        start = end
    }
}

/// Writes functions into the lines of a backtrace of Android. Inlined calls become lines before
/// their function, with its number.
struct AndroidRewriting: ReportRewriting {
    /// A line of a frame. The last one of several is of the function that owns the code.
    struct Record {
        var line: Int
        /// The frame's index in the tree.
        var physical: Int
    }

    let lines: TextLines
    let records: [Record]

    func edits(with answers: AnsweredFrames, _ budget: inout EditBudget) -> [Edit] {
        var edits: [Edit] = []
        var start = 0
        for (index, record) in records.enumerated() {
            let isLast = index + 1 == records.count
            if !isLast, records[index + 1].physical == record.physical { continue }
            let functions = answers.functions(at: record.physical)
            let length = lines.ranges[record.line].count
            if !functions.isEmpty, budget.takes(functions, repeating: length) {
                edits += rewritten(records[start...index].map(\.line), to: record.line, functions)
            }
            start = index + 1
        }
        return edits
    }

    /// - Parameter last: The line of the function that owns the code.
    private func rewritten(
        _ numbers: [Int], to last: Int, _ functions: [SymbolicatedFrame]
    ) -> [Edit] {
        guard let frame = AndroidFrameLine(lines.content(last)) else { return [] }
        let (first, removed) = lines.gathered(numbers, at: last)
        let end = lines.lineEnd(last)
        let lineEnd = end.isEmpty ? "\n" : String(decoding: end, as: UTF8.self)
        let range = lines.ranges[first].lowerBound..<lines.ranges[last].upperBound
        let texts = functions.map { lines.encoded(frame.text(of: $0)) }
        return removed + [Edit(range, texts.joined(separator: lineEnd))]
    }
}
