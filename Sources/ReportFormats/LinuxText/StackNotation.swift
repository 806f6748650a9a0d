package import CallStacks

/// A format of stacks whose frames consist of a module and a location in it, as printed by one
/// program.
///
/// Lines are parsed one by one, so that stacks are found between the lines of any log.
package protocol StackNotation: SendableMetatype {
    static var format: CrashFormat { get }

    /// The kind of event that the stacks describe, unless a line states it.
    static var kind: DiagnosticKind { get }

    /// Whether one of the stacks is that of a crash. Samples have none.
    static var hasCrashedStack: Bool { get }

    /// The origin of the offsets in frames.
    static var offsets: OffsetOrigin { get }

    /// Whether inlined calls have no mark, so that consecutive lines with the same address are a
    /// function and the calls inlined into it.
    static var repeatsAddresses: Bool { get }

    /// The width of frame numbers that are aligned to the right, or 0 if they are not.
    static var numberWidth: Int { get }

    /// The maximum number of other lines between two lines of a report.
    static var gapLimit: Int { get }

    /// Whether a line starts a report.
    ///
    /// It is called for every line of a log, so it should reject most lines by a few bytes.
    static func begins(_ line: ArraySlice<UInt8>) -> Bool

    /// Returns the distance from the start of a line to text in the notation, which may follow the
    /// prefix of a log. It is 0 if that text is at the start, or if there is none.
    static func start(of line: ArraySlice<UInt8>) -> Int

    /// Parses a line of a report, or returns `nil` if it is not in the notation.
    static func line(_ line: NodeBytes) -> StackLine?

    /// Returns the text that replaces ``StackFrameLine/slot`` for a function.
    static func text(
        of function: SymbolicatedFrame, in frame: StackFrameLine, _ line: NodeBytes
    ) -> String
}

extension StackNotation {
    static var kind: DiagnosticKind { .crash }
    static var hasCrashedStack: Bool { true }
    static var repeatsAddresses: Bool { false }
    static var numberWidth: Int { 0 }
}

/// The contents of a line of a report.
package enum StackLine {
    case frame(StackFrameLine)
    /// The start of another report.
    case report(StackReportHead)
    /// The start of a stack, with the signal or exception that stopped its thread.
    case stack(name: String?, stop: String? = nil)
    /// The source line of the previous frame.
    case source(StackSourceLine)
    /// The mark of a signal handler's frame; the next frame was interrupted.
    case signalHandler
    case image(ListedImage)
    case mapping(StackMapping)
    case process(String)
    /// A signal by name or number, and a prefix of the name of the stack that received it.
    case signal(String, stack: String? = nil)
    /// A prefix of the name of the stack that crashed.
    case crashed(String)
    case time(String)
    /// A line that belongs to the report but contains nothing that is read.
    case other
    /// The last line, which may list an image.
    case end(ListedImage?)
}

/// A range of memory to which a part of a file was mapped.
package struct StackMapping {
    var path: String
    var range: Range<UInt64>
    /// The offset of the part in the file.
    var fileOffset: UInt64
    var id: ImageID?
}

/// A line that continues the previous frame with its source line.
package struct StackSourceLine {
    var file: SourceFile
    var line: UInt32
    var column: UInt32 = 0
    var address: UInt64?
    /// The distance from the start of the function, in bytes.
    var distance: UInt64?
}

/// The first line of a report, with its title and reason.
package struct StackReportHead {
    var kind: DiagnosticKind = .crash
    var exception: String?
    var message: String?
    var process: String?
    var signal: String?
}

/// A line with a frame.
package struct StackFrameLine {
    /// The address of a frame's code, which lines give in several forms.
    struct CodeAddress: Hashable {
        /// The path or name of its module.
        var module: String?
        /// The offset, relative to ``StackNotation/offsets``.
        var offset: UInt64?
        var address: UInt64?
    }

    var number: Int?
    /// The range of the frame number's digits, and the spaces after them or before them.
    var numberRange: Range<Int>?
    var code: CodeAddress
    var site: Site = .returnAddress
    var image: ImageID?
    /// The function in the line; ``ReportedFunction/isInlined`` is set if the line marks it as
    /// inlined.
    var function: ReportedFunction?
    /// The range that a function replaces, or `nil` if there is nothing to look up.
    var slot: Range<Int>?
    /// The length of a log's prefix before the frame.
    var prefixLength = 0

    /// The meaning of a frame's address.
    enum Site {
        /// The instruction that was executing.
        case programCounter
        case returnAddress
        /// The program counter in the first frame of a stack, and a return address in others.
        case byPosition
        /// An address within the call instruction.
        case adjusted
    }
}

extension NodeBytes {
    /// Returns the end of a word, which is the next space or the end of the line.
    func wordEnd(from start: Int) -> Int {
        bytes[min(start, count)...].firstIndex(where: \.isBlank) ?? count
    }

    /// Returns the frame number in `#3 `, which may follow the prefix of a log.
    ///
    /// - Returns: The number, and the range of its digits and the spaces after them.
    func frameNumber() -> (value: Int, range: Range<Int>)? {
        var position = 0
        while position < count {
            guard let hash = bytes[position...].firstIndex(of: UInt8(ascii: "#")) else {
                return nil
            }
            let end = bytes[(hash + 1)...].firstIndex { !$0.isDigit } ?? count
            let isAlone = hash == 0 || bytes[hash - 1].isBlank
            if isAlone, (1...6).contains(end - hash - 1), end < count, bytes[end].isBlank,
                let value = decimal(hash + 1..<end)
            {
                return (Int(value), hash + 1..<skipBlanks(from: end))
            }
            position = hash + 1
        }
        return nil
    }

    /// Parses `0x` and digits, up to a space or the end of the line.
    func address(from start: Int) -> (value: UInt64, end: Int)? {
        let end = wordEnd(from: start)
        return hexadecimal(start..<end).map { ($0, end) }
    }

    /// Returns the last group in parentheses before `end`, followed only by spaces.
    func group(before end: Int, from start: Int) -> (inner: Range<Int>, start: Int)? {
        let end = trimmedEnd(start..<end)
        guard ends(start..<end, with: ")"),
            let open = openingParenthesis(before: end, from: start)
        else { return nil }
        return (open + 1..<end - 1, open)
    }

    /// Returns the build ID in ` (BuildId: 93ac…8a40)` at the end, and its start.
    func buildID(before end: Int, from start: Int) -> (id: ImageID?, start: Int)? {
        guard let group = group(before: end, from: start),
            begins(with: "BuildId: ", at: group.inner.lowerBound)
        else { return nil }
        let digits = bytes[group.inner.lowerBound + 9..<group.inner.upperBound]
        return (ImageID(utf8: digits), trimmedEnd(start..<group.start))
    }

    /// Parses `FILE:LINE` or `FILE:LINE:COLUMN`.
    func sourceLocation(_ range: Range<Int>) -> (file: SourceFile, line: UInt32, column: UInt32)? {
        var end = trimmedEnd(range)
        var numbers: [UInt32] = []
        while numbers.count < 2,
            let colon = bytes[range.lowerBound..<end].lastIndex(of: UInt8(ascii: ":")),
            let number = decimal(colon + 1..<end).flatMap(UInt32.init(exactly:))
        {
            numbers.insert(number, at: 0)
            end = colon
        }
        guard let line = numbers.first, end > range.lowerBound else { return nil }
        let file = SourceFile(given: text(range.lowerBound..<end))
        return (file, line, numbers.count > 1 ? numbers[1] : 0)
    }
}

extension SymbolicatedFrame {
    /// The source location, such as `/src/Cellar.cpp:19:5`, or `nil` if the file is unknown.
    var locationText: String? {
        guard let path = hasCompilerGeneratedFile ? SourceFile.compilerGeneratedPath : file?.path
        else { return nil }
        return "\(path):\(exactLine)" + (exactColumn > 0 ? ":\(exactColumn)" : "")
    }

    /// A text such as `cellar::print() + 24 (/src/Cellar.cpp:75:17)`, as in Apple's reports, with a
    /// mark for inlined calls.
    var markedText: String {
        var text = function ?? mangled ?? "??"
        if !isInlined, let distance = functionDistance { text += " + \(distance)" }
        return text + (locationText.map { " (\($0))" } ?? "") + (isInlined ? " [inlined]" : "")
    }
}
