import CallStacks
import MetricKitPayloads

/// Android crashes in text: tombstones, and the log of the crash daemon. Traces of an app that does
/// not respond are read too, if they have native frames.
package enum AndroidReport: TextReportFormat {
    package static func isIdentified(by line: ArraySlice<UInt8>) -> Bool {
        let start = NodeBytes(line).androidContentStart
        return isFingerprint(line.dropFirst(start)) || AndroidFrameLine(line)?.number == 0
    }

    package static func read(_ input: TextReportInput, into file: inout CrashFile) {
        var parser = AndroidParser(input)
        parser.read()
        file.reports += parser.reports
    }

    /// Whether a line is the first of a tombstone.
    static func isFingerprint(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: "Build fingerprint: ".utf8)
    }
}

/// Reads the lines of a tombstone one by one.
struct AndroidParser {
    private let lines: TextLines
    private let limits: PayloadLimits
    private(set) var reports: [CrashReport] = []
    private var start = 0
    private var details = DiagnosticDetails()
    private var stacks: StackCollector
    private var records: [AndroidRewriter.Record] = []
    /// The files of the frames, which show whether an image belongs to the app.
    private var images: [ListedImage] = []
    private var imagePaths: Set<String> = []
    private var threadName: String?
    /// Whether the report is about an app that does not respond.
    private var isTrace = false
    /// Whether the last line is one of a tombstone, rather than of a log around it.
    private var isInTombstone = false
    /// Whether the tombstone's lines are records of a log.
    private var isLogged = false
    private var hasFingerprint = false
    /// All other lines.
    private var rest = UnparsedCrashLines()

    init(_ input: TextReportInput) {
        lines = input.lines
        limits = input.context.limits
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
                if let time = Self.startOfTrace(bare) {
                    finish(before: line)
                    begin(at: line)
                    details.timestamp = time
                } else if AndroidReport.isFingerprint(bare) {
                    finish(before: line)
                    isLogged = bytes.isInAndroidLog
                    hasFingerprint = true
                }
                isInTombstone = hasFingerprint && isLogged == bytes.isInAndroidLog
                read(String(decoding: bare, as: UTF8.self).trimmed)
            }
        }
        finish(before: lines.indices.upperBound)
    }

    /// Reads a line other than a frame.
    private mutating func read(_ text: String) {
        if let abi = Self.value(of: "ABI: '", in: text, until: "'") {
            details.architecture = abi == "arm" ? "armv7" : abi
        } else if let rest = Self.value(of: "Abort message: '", in: text, until: nil) {
            // The message may contain apostrophes.
            let message = rest.prefix(upTo: rest.range(ofLast: "'") ?? rest.endIndex)
            details.runtimeMessage = details.runtimeMessage ?? String(message)
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
            readSignal(text)
        } else if let time = Self.value(of: "Timestamp: ", in: text, until: nil) {
            details.timestamp = details.timestamp ?? time
        } else if let cause = Self.value(of: "Cause: ", in: text, until: nil) {
            details.applicationMessages.append(cause)
        } else {
            text.isEmpty ? rest.end() : keep(text)
        }
    }

    /// Returns the time in `----- pid 431 at 2026-11-20 08:00:00.123456789+0000 -----`, the first line
    /// of a process in a trace of apps that do not respond, or `nil` for another line.
    private static func startOfTrace(_ line: ArraySlice<UInt8>) -> String? {
        guard line.starts(with: "----- pid ".utf8) else { return nil }
        return value(of: " at ", in: String(decoding: line, as: UTF8.self), until: " -----")
    }

    /// Reads `signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10`.
    private mutating func readSignal(_ text: String) {
        Self.value(of: " (", in: text, until: ")").map { details.setSignal(named: $0) }
        guard let code = Self.value(of: ", code ", in: text, until: ")")?.split(separator: "(").last
        else { return }
        // Such a code only shows that a process sent the signal.
        if code.hasPrefix("SI_") { return }
        let address = Self.value(of: "fault addr ", in: text, until: nil)
            .map { $0.prefix { $0 != " " } }.flatMap { $0.hasPrefix("0x") ? " at \($0)" : nil }
        details.exceptionSubtype = "\(code)\(address ?? "")"
    }

    /// Keeps a line of a tombstone from which nothing else is derived.
    private mutating func keep(_ text: String) {
        guard isInTombstone, !text.allSatisfy({ $0 == "*" || $0 == " " || $0 == "-" }),
            text != "backtrace:", !text.hasSuffix(" total frames")
        else { return }
        if !rest.add(text) { stacks.record(.sizeLimit) }
    }

    /// Returns the text after a label, up to an end marker or the end of the line.
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
        records.append(AndroidRewriter.Record(line: line, physical: physical))
    }

    private mutating func addImage(of frame: AndroidFrameLine) {
        guard images.count < limits.imagesPerTree, let path = frame.imagePath,
            imagePaths.insert(path).inserted
        else { return }
        images.append(ListedImage(id: frame.image, name: frame.imageName, path: path))
    }

    /// Ends the current stack. The report is about the first thread of a tombstone, which crashed,
    /// or the main thread of a trace, which did not respond.
    private mutating func endStack() {
        guard stacks.depth > 0 else { return }
        let isAttributed = isTrace ? threadName == "main" : stacks.tree.stacks.isEmpty
        stacks.endStack(name: threadName, isAttributed: isAttributed)
        threadName = nil
    }

    private mutating func finish(before end: Int) {
        endStack()
        guard !stacks.tree.frames.isEmpty else { return }
        details.sections = rest.sections
        var tree = stacks.tree
        // A `pc` is an address of the file, as the linker wrote it.
        tree.offsetOrigin = .link
        var diagnostic = Diagnostic(
            kind: isTrace ? .hang : .crash, details: details, tree: tree)
        diagnostic.images = images
        reports.append(
            CrashReport(
                .androidText, range: lines.range(of: start..<end), label: details.processName,
                content: .resolved(diagnostic),
                rewriter: AndroidRewriter(lines: lines, records: records)))
        begin(at: end)
    }

    /// Begins a report, without anything of the one before.
    private mutating func begin(at line: Int) {
        details = DiagnosticDetails()
        rest = UnparsedCrashLines()
        hasFingerprint = false
        stacks = StackCollector(limits: limits)
        records = []
        images = []
        imagePaths = []
        isTrace = false
        threadName = nil
        start = line
    }
}

/// Writes functions into the lines of an Android backtrace. Inlined calls become lines before their
/// function, with its number.
struct AndroidRewriter: ReportRewriter {
    /// A line of a frame. The last line of a frame is that of the function that owns the code.
    struct Record {
        var line: Int
        /// The frame's index in the tree.
        var physical: Int
    }

    let lines: TextLines
    let records: [Record]

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        var edits: [Edit] = []
        var start = 0
        for (index, record) in records.enumerated() {
            let isLast = index + 1 == records.count
            if !isLast, records[index + 1].physical == record.physical { continue }
            let functions = results.functions(at: record.physical)
            let length = lines.ranges[record.line].count
            if !functions.isEmpty, budget.reserve(functions, repeating: length) {
                edits += rewritten(
                    records[start...index].map(\.line), to: record.line, functions: functions)
            }
            start = index + 1
        }
        return edits
    }

    /// - Parameter last: The line of the function that owns the code.
    private func rewritten(
        _ numbers: [Int], to last: Int, functions: [SymbolicatedFrame]
    ) -> [Edit] {
        guard let frame = AndroidFrameLine(lines.content(last)) else { return [] }
        let (first, removed) = lines.gathered(numbers, at: last)
        let end = lines.lineEnd(last)
        let lineEnd = end.isEmpty ? [UInt8.newline] : Array(end)
        let range = lines.ranges[first].lowerBound..<lines.ranges[last].upperBound
        let head = lines.fileBytes(inLine: last, 0..<frame.path.upperBound)
        let tail = lines.fileBytes(inLine: last, frame.tail)
        let texts = functions.map { head + lines.encoded(frame.text(of: $0)).utf8 + tail }
        return removed + [Edit(range, Array(texts.joined(separator: lineEnd)))]
    }
}
