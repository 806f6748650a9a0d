import CallStacks
import MetricKitPayloads

/// The content of one text report, read line by line, before addresses are assigned to images.
struct CrashTextSections {
    /// A list of frames, or of addresses.
    struct Stack {
        var head: CrashTextHeading?
        var label = ThreadLabel("")
        var isAttributed = false
        var mark: String?
        /// The frame lines.
        var lines: [Int] = []
        /// The addresses of `(0x1 0x2)`, and the range of the text including its brackets.
        var addresses: [UInt64] = []
        var addressesRange: Range<Int>?
        /// The number of frames, without inlined calls.
        var depth = 0
    }

    private(set) var header: [String: String] = [:]
    private(set) var stacks: [Stack] = []
    private(set) var images: [ListedImage] = []
    /// The lines of `Application Specific Information:`.
    private(set) var information: [String] = []
    /// The message about an uncaught exception that a program prints before the stack.
    private(set) var exception: String?
    /// The exception in the heading of a Crashlytics stack.
    private(set) var exceptionName: String?
    /// Remarks about limits that were reached.
    private(set) var remarks: [Remark] = []

    private let lines: TextLines
    private let limits: PayloadLimits
    private var section = Section.header
    private var threadNames: [Int: ThreadLabel] = [:]
    private var frameCount = 0
    /// The registers of the crashed thread.
    private(set) var registers: Registers?
    /// All other lines.
    private(set) var rest = UnparsedCrashLines()
    /// The field whose value continues on the following lines.
    private var openField: String?

    /// The previous line of a Crashlytics text, if it is a heading.
    private var heading: String?
    private var isOfCrashlytics = false

    private enum Section {
        case header, stack, images, information, addresses, registers
        /// A stack that exceeds the limit, whose lines are ignored.
        case refused
    }

    /// - Parameter isSkipped: Whether a line belongs to another part of the file.
    init(
        _ lines: TextLines, _ range: Range<Int>, limits: PayloadLimits,
        isSkipped: (Int) -> Bool = { _ in false }
    ) {
        self.lines = lines
        self.limits = limits
        for line in range where !isSkipped(line) { read(line) }
        nameThreads()
    }

    private mutating func read(_ line: Int) {
        let content = lines.content(line)
        if let head = CrashTextHeading(content) {
            begin(head)
        } else if section == .refused {
            if content.isBlank { section = .header }
        } else if section == .addresses || Self.opensAddresses(content), section != .header {
            readAddresses(line)
        } else if content.isBlank {
            if section != .images { section = .header }
            openField = nil
            rest.end()
        } else if section == .images {
            if let image = ImageLine(content)?.image { add(image) } else { keep(line) }
        } else if section == .information, content.starts(with: "```".utf8) {
            // The closing fence of a pasted report.
            section = .header
        } else if section == .information {
            if information.count < Self.informationLimit { information.append(lines.string(line)) }
        } else if section == .registers {
            if registers?.add(textLine: lines.string(line)) != true { keep(line) }
        } else if section == .header, registers == nil, content.starts(with: "Thread ".utf8),
            let registers = Registers(textHeading: lines.string(line))
        {
            self.registers = registers
            section = .registers
        } else if let frame = FrameLine(content) {
            // At the end of a truncated file an address may lack digits.
            let isTruncated = frame.restRange.isEmpty && lines.lineEnd(line).isEmpty
            if !isTruncated { add(frame, at: line) }
        } else if section == .header {
            if CrashlyticsText.isHeader(content) || CrashlyticsText.isHeading(content) {
                isOfCrashlytics = true
            }
            if isOfCrashlytics { heading = lines.string(line) }
            readField(content, line: line)
            if stacks.isEmpty, let text = UncaughtException.announcement(in: content) {
                exception = String(decoding: text, as: UTF8.self)
            }
        }
    }

    private mutating func begin(_ head: CrashTextHeading) {
        openField = nil
        rest.end()
        switch head {
        case .threadName(let number, let name):
            if threadNames.count < limits.stacksPerTree { threadNames[number] = name }
            section = .header
        case .images: section = .images
        case .information: section = .information
        case .thread(_, let isAttributed, let label, let mark):
            add(Stack(head: head, label: label, isAttributed: isAttributed, mark: mark))
        case .lastException, .applicationBacktrace: add(Stack(head: head))
        }
    }

    private mutating func add(_ stack: Stack) {
        section = .stack
        guard stacks.count < limits.stacksPerTree else {
            remarks.add(.frameLimit)
            section = .refused
            return
        }
        stacks.append(stack)
    }

    private mutating func add(_ image: ListedImage) {
        guard images.count < limits.imagesPerTree else { return remarks.add(.sizeLimit) }
        images.append(image)
    }

    private mutating func add(_ frame: FrameLine, at line: Int) {
        if section != .stack || stacks.isEmpty {
            add(heading.map { CrashlyticsText.stack(below: $0, number: stacks.count) } ?? Stack())
            exceptionName = exceptionName ?? heading.flatMap(CrashlyticsText.exception)
            heading = nil
            guard section == .stack else { return }
        }
        let isInlined = frame.rest.function?.isInlined == true
        guard reserveFrame(in: stacks.count - 1, isInlined: isInlined) else { return }
        stacks[stacks.count - 1].lines.append(line)
    }

    /// Counts a frame, unless a limit is reached.
    ///
    /// A stack keeps one frame past its limit, which shows that it is too deep. Its other frames
    /// leave room for those of the next stacks.
    private mutating func reserveFrame(in stack: Int, isInlined: Bool = false) -> Bool {
        guard stacks[stack].depth <= limits.nestedFrames else { return false }
        guard frameCount < limits.framesPerTree else {
            remarks.add(.frameLimit)
            return false
        }
        frameCount += 1
        if !isInlined { stacks[stack].depth += 1 }
        return true
    }

    private static let informationLimit = 200
    private static let fieldsLimit = 100

    private mutating func keep(_ line: Int) {
        if !rest.add(lines.string(line)) { remarks.add(.sizeLimit) }
    }

    /// Reads `Key:   value`, keeping the first value of each key, or another line of the value
    /// before.
    private mutating func readField(_ content: ArraySlice<UInt8>, line: Int) {
        guard let (key, value) = Self.field(content), isField(key), header.count < Self.fieldsLimit
        else {
            if !continueField(with: line) { keep(line) }
            return
        }
        openField = Self.continuations[key]
        guard !value.isEmpty else { return }
        if header[key] == nil {
            header[key] = value
        } else if key == "exception codes", header["exception subtype"] == nil {
            // On macOS, the line with the subtype has the same key as the one with the codes.
            header["exception subtype"] = header[key]
            header[key] = value
        }
    }

    /// Adds a line to the previous field.
    ///
    /// - Returns: Whether the field can have more lines and has room for this one.
    private mutating func continueField(with line: Int) -> Bool {
        guard let openField, header[openField, default: ""].utf8.count < Self.valueBytesLimit
        else { return false }
        let text = String(decoding: lines.content(line).prefix(Self.valueBytesLimit), as: UTF8.self)
        header[openField] = [header[openField], text.trimmed].compactMap(\.self)
            .joined(separator: "\n")
        return true
    }

    /// The size limit of a field's value. Lines past it are dropped.
    private static let valueBytesLimit = 8 << 10

    private static func field(_ content: ArraySlice<UInt8>) -> (key: String, value: String)? {
        guard let colon = content.prefix(64).firstIndex(of: UInt8(ascii: ":")) else { return nil }
        var key = String(decoding: content[..<colon], as: UTF8.self).trimmed.lowercased()
        var value = String(decoding: content[colon...].dropFirst(), as: UTF8.self).trimmed
        if key.hasPrefix("vm regions near") {
            value = String(decoding: content, as: UTF8.self).trimmed
            key = "vm region info"
        }
        return (CrashlyticsText.field(key), value)
    }

    /// Whether a key is interpreted. Lines with other keys are kept verbatim.
    private func isField(_ key: String) -> Bool { Self.knownKeys.contains(key) }

    /// Fields whose value may span several lines, and the field that receives the further lines.
    private static let continuations = [
        "termination reason": "termination description",
        "termination description": "termination description",
        "vm region info": "vm region info", "kernel triage": "kernel triage",
        "exception message": "exception message",
    ]

    /// Assigns names to the threads of stacks, and attributes the one that the header names.
    private mutating func nameThreads() {
        let hasAttributed = stacks.contains(where: \.isAttributed)
        let highlighted = header["highlighted by thread"]
        let named = header["triggered by thread"] ?? header["crashed thread"] ?? highlighted
        let attributed = named.flatMap { Int($0.prefix { $0.isNumber }) }
        for index in stacks.indices {
            guard case .thread(let number, _, _, _)? = stacks[index].head else { continue }
            if stacks[index].label.isEmpty, let label = threadNames[number] {
                stacks[index].label = label
            }
            if !hasAttributed, number == attributed { stacks[index].isAttributed = true }
        }
    }
}

extension CrashTextSections {
    /// Whether a line opens a list of addresses: `(0x18b66f5e4 0x18b0ad0c4)`.
    private static func opensAddresses(_ content: ArraySlice<UInt8>) -> Bool {
        let rest = content.drop { $0 == 0x20 || $0 == 0x09 }
        return rest.starts(with: "(0x".utf8)
    }

    /// Reads the addresses of a line, up to the bracket that closes the list.
    private mutating func readAddresses(_ line: Int) {
        let content = lines.content(line)
        guard !stacks.isEmpty, let last = stacks.indices.last else { return }
        if section != .addresses {
            guard stacks[last].lines.isEmpty, stacks[last].addressesRange == nil else { return }
            section = .addresses
        }
        for word in Words(content) {
            var text = content[word]
            if text.first == UInt8(ascii: "("), stacks[last].addresses.isEmpty {
                text = text.dropFirst()
                let start = lines.fileOffset(inLine: line, at: word.lowerBound - content.startIndex)
                stacks[last].addressesRange = start..<start
            }
            let isLast = text.last == UInt8(ascii: ")")
            if isLast { text = text.dropLast() }
            guard let address = UInt64(address: text) else {
                // The list is truncated, and another section follows.
                section = .stack
                return
            }
            add(address, to: last)
            if isLast {
                let end = lines.fileOffset(inLine: line, at: word.upperBound - content.startIndex)
                close(last, at: end)
                return
            }
        }
        if content.isEmpty { section = .header }
    }

    private mutating func add(_ address: UInt64, to stack: Int) {
        guard reserveFrame(in: stack) else { return }
        stacks[stack].addresses.append(address)
    }

    private mutating func close(_ stack: Int, at end: Int) {
        section = .stack
        guard let start = stacks[stack].addressesRange?.lowerBound, start < end else { return }
        stacks[stack].addressesRange = start..<end
    }
}

extension ArraySlice<UInt8> {
    /// Whether a line has only blanks.
    fileprivate var isBlank: Bool { allSatisfy(\.isBlank) }
}
