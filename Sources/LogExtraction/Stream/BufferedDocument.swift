import ReportFormats

/// A report in JSON, or an `.ips` header and the text after it, as its lines arrive in a stream.
///
/// It ends where its JSON does. Until a key of a report is found, its lines may be ordinary ones: a
/// service may print any object, or only a bracket.
struct BufferedDocument: Equatable {
    private enum Stage {
        /// After a header, before its body.
        case header
        /// Inside a value.
        case value
        /// After a value, which may be followed by another one or a system profile.
        case complete
        /// In lines that follow invalid JSON and may belong to the same report.
        case damaged
        /// In the description of the Mac after an `.ips` report.
        case profile
    }

    private var stage = Stage.header
    private var json = JSONScanner()
    /// Whether only blanks precede the document in the stream.
    private var isFirst = false
    /// Whether a line has a key of a report.
    private(set) var hasEvidence = true
    /// Whether the document follows lines of a text report.
    var followsText = false

    /// A document that is announced by the text before it.
    init() {}

    /// - Parameters:
    ///   - content: The first line, without its end.
    ///   - isHeader: Whether it is a complete `.ips` header.
    init(startedBy content: ArraySlice<UInt8>, isFirst: Bool, isHeader: Bool) {
        self.isFirst = isFirst
        guard !isHeader else { return }
        hasEvidence = false
        beginValue(content)
    }

    /// Whether JSON of the document was invalid and no value has begun since.
    var isDamaged: Bool { stage == .damaged }

    /// Whether the document is complete and not a report.
    var endsWithoutReport: Bool { stage == .complete && !hasEvidence }

    /// Whether the lines so far belong to a possible report.
    var isReport: Bool { hasEvidence || (isFirst && stage == .complete) }

    /// Whether the lines are a possible report if the stream ends after them.
    var isReportAtEnd: Bool { hasEvidence || isFirst || followsText }

    private mutating func beginValue(_ content: ArraySlice<UInt8>) {
        json = JSONScanner()
        stage = .value
        add(content)
        endLine()
    }

    private mutating func add(_ content: ArraySlice<UInt8>) {
        if !hasEvidence { hasEvidence = Self.mayBelongToReport(content) }
        json.add(content)
        updateStage()
    }

    private mutating func endLine() {
        json.endLine()
        updateStage()
    }

    private mutating func updateStage() {
        switch json.state {
        case .open: stage = .value
        case .complete: stage = .complete
        case .invalid: stage = .damaged
        }
    }

    /// Adds a part of a line that is too long to be examined as a whole.
    mutating func addPart(_ bytes: ArraySlice<UInt8>) {
        hasEvidence = true
        guard stage != .damaged else { return }
        json.add(bytes)
        if bytes.last == .newline { json.endLine() }
        updateStage()
    }

    /// Whether a line of JSON may belong to a report.
    static func mayBelongToReport(_ line: ArraySlice<UInt8>) -> Bool {
        LinePrefilter.ofObjects.admits(line)
    }
}

extension BufferedDocument {
    /// Returns the format after one more line, or `nil` if the line does not belong to the document.
    ///
    /// - Parameters:
    ///   - line: The line with its end.
    ///   - content: The line without its end, surrounding blanks and a quote prefix.
    func continued(by line: ArraySlice<UInt8>, _ content: ArraySlice<UInt8>) -> BufferedFormat? {
        if content.isEmpty { return .document(self) }
        switch stage {
        case .header: return continuedAfterHeader(by: content)
        case .value: return continuedInValue(by: line, content)
        case .complete:
            if content.elementsEqual("System Profile:".utf8) { return .document(at(.profile)) }
            return resumed(by: line, content)
        case .damaged: return resumed(by: line, content) ?? continuedInDamage(by: line, content)
        case .profile: return Self.isOfProfile(content) ? .document(self) : nil
        }
    }

    private func at(_ stage: Stage) -> Self {
        var document = self
        document.stage = stage
        return document
    }

    private func continuedAfterHeader(by content: ArraySlice<UInt8>) -> BufferedFormat? {
        if content.first == UInt8(ascii: "{") {
            if let header = next(startedBy: content) { return .document(header) }
            var document = self
            document.beginValue(content)
            return .document(document)
        }
        if BufferedFormat.isRule(content) { return .document(self) }
        return BufferedFormat.startsText(content) || BufferedFormat.isHeading(content)
            ? .text : nil
    }

    private func continuedInValue(
        by line: ArraySlice<UInt8>, _ content: ArraySlice<UInt8>
    ) -> BufferedFormat? {
        var document = self
        document.add(content)
        document.endLine()
        guard document.isDamaged else { return .document(document) }
        return resumed(by: line, content) ?? document.continuedInDamage(by: line, content)
    }

    /// Returns the format if a line begins another report of the same file.
    private func resumed(
        by line: ArraySlice<UInt8>, _ content: ArraySlice<UInt8>
    ) -> BufferedFormat? {
        if line.first == UInt8(ascii: "{"), hasEvidence || isFirst,
            let next = next(startedBy: content)
        {
            return .document(next)
        }
        return hasEvidence && BufferedFormat.startsText(content) ? .text : nil
    }

    /// Returns the document that begins with a line and follows this one.
    private func next(startedBy content: ArraySlice<UInt8>) -> Self? {
        guard case .document(var next)? = DocumentDetection.format(content, isFirst: false)
        else { return nil }
        next.hasEvidence = next.hasEvidence || hasEvidence
        next.isFirst = isFirst
        next.followsText = followsText
        return next
    }

    /// Keeps the indented lines after invalid JSON, and the bracket that closes the value.
    private func continuedInDamage(
        by line: ArraySlice<UInt8>, _ content: ArraySlice<UInt8>
    ) -> BufferedFormat? {
        guard hasEvidence, let first = content.first else { return nil }
        if line.first == UInt8(ascii: "}") { return .document(at(.complete)) }
        let isOfValue = "\"{}],".utf8.contains(first) && line.first?.isBlank == true
        return isOfValue ? .document(at(.damaged)) : nil
    }

    /// Whether a line is `Model: Mac14,2, BootROM 1` or `USB31Bus: USB 3.1 Bus`.
    private static func isOfProfile(_ content: ArraySlice<UInt8>) -> Bool {
        guard let colon = content.prefix(40).firstIndex(of: UInt8(ascii: ":")) else { return false }
        return colon + 1 == content.endIndex || content[colon + 1] == .space
    }
}
