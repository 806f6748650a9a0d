import CallStacks

/// Reports of AddressSanitizer and related tools, as printed by clang's and GCC's runtimes, and of
/// libFuzzer:
///
///     ==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55f4…
///     READ of size 4 at 0x602000000010 thread T0
///         #0 0x55f41410c38a  (/src/cellar+0x238a) (BuildId: 93ac61ec…)
///         #1 0x55f41410c3b0 in cellar::spoil() /src/Cellar.cpp:46:9
///         #2 cellar::fill(int) /src/Cellar.cpp:60 (cellar+0x13de)
///
/// The second form has no module, the third is ThreadSanitizer's. On a Mac the module ends in its
/// architecture: `cellar:arm64+0x1000020dc`. LLVM's stack dumps have the first form; those of
/// Chromium and elfutils have only addresses and functions:
///
///     #0 0x55c4b6f0d6a9 base::debug::StackTrace::StackTrace()
///
/// All addresses and offsets in sanitizer frames, even in the first one, are within the call: the
/// runtimes subtract from every return address before they print it
/// (`StackTrace::GetPreviousInstructionPc`), and add as much to the program counter of a signal.
/// Offsets are relative to the load address of link address 0, so they are link addresses.
enum SanitizerNotation: StackNotation {
    static let format = CrashFormat.sanitizer
    static let offsets = OffsetOrigin.link
    static let repeatsAddresses = true
    static let gapLimit = 24

    static func begins(_ line: ArraySlice<UInt8>) -> Bool {
        if head(line) != nil { return true }
        guard line.contains(UInt8(ascii: "#")), let frame = frame(NodeBytes(line)) else {
            return false
        }
        return frame.code.offset != nil
            || (frame.number == 0 && frame.function != nil && frame.function?.file == nil)
    }

    static func start(of line: ArraySlice<UInt8>) -> Int {
        if head(line) != nil {
            let starts = ["==", "WARNING: ", "ERROR: "].lazy.compactMap { line.position(of: $0) }
            return starts.first.map { $0 - line.startIndex } ?? 0
        }
        guard line.contains(UInt8(ascii: "#")), let number = frame(NodeBytes(line))?.numberRange
        else { return 0 }
        let before = line.prefix(number.lowerBound - 1)
        return before.count - min(4, before.reversed().prefix(while: \.isBlank).count)
    }

    static func line(_ line: NodeBytes) -> StackLine? {
        if let frame = Self.frame(line) { return .frame(frame) }
        let bytes = line.bytes[...]
        if let head = Self.head(bytes) { return .report(head) }
        // Messages of the runtime itself are not the title of a stack.
        if bytes.starts(with: "==".utf8), bytes.dropFirst(2).first?.isDigit == true {
            return .other
        }
        guard let summary = bytes.position(of: "SUMMARY: "),
            toolName(in: bytes[summary...]) != nil
        else { return nil }
        let module = line.group(before: line.count, from: summary).flatMap {
            Self.module(line, $0.inner)
        }
        return .end(module.map { ListedImage(path: $0.name) })
    }

    static func text(
        of function: SymbolicatedFrame, in frame: StackFrameLine, _ line: NodeBytes
    ) -> String {
        let name = function.function ?? function.mangled ?? "??"
        // ThreadSanitizer's frames have no address, and `<null>` instead of an unknown file.
        guard frame.code.address != nil else {
            return "\(name) \(function.locationText ?? "<null>")"
        }
        if let location = function.locationText { return " in \(name) \(location)" }
        guard let distance = function.functionDistance else { return " in \(name)" }
        return " in \(name)+0x" + String(distance, radix: 16)
    }

    /// Returns the name of the tool in a line: `AddressSanitizer`, `libFuzzer`.
    private static func toolName(in line: ArraySlice<UInt8>) -> Range<Int>? {
        let ends = ["Sanitizer: ", "libFuzzer: "].lazy.compactMap { text in
            line.position(of: text).map { $0 + text.utf8.count - 2 }
        }
        guard let end = ends.first else { return nil }
        let blank = line[..<end].lastIndex(of: .space)
        return (blank.map { $0 + 1 } ?? line.startIndex)..<end
    }

    /// Parses `ERROR: AddressSanitizer: …`, `WARNING: ThreadSanitizer: …` or
    /// `Press.cpp:52:9: runtime error: …`.
    private static func head(_ line: ArraySlice<UInt8>) -> StackReportHead? {
        if let name = toolName(in: line) {
            let before = line[..<name.lowerBound]
            guard ["ERROR: ", "WARNING: "].contains(where: { before.hasSuffix($0) })
            else { return nil }
            let text = TerminalText.shown(Array(line[(name.upperBound + 2)...])).trimmed.text
            return StackReportHead(exception: line[name].text, message: text)
        }
        guard let position = line.position(of: ": runtime error: "),
            line[..<position].last?.isDigit == true
        else { return nil }
        let text = TerminalText.shown(Array(line[(position + 17)...])).trimmed.text
        return StackReportHead(exception: "UndefinedBehaviorSanitizer", message: text)
    }

    private static func frame(_ line: NodeBytes) -> StackFrameLine? {
        guard let number = line.frameNumber() else { return nil }
        let start = number.range.upperBound
        let address = line.address(from: start)
        let nameStart = address?.end ?? start
        var frame = StackFrameLine(
            number: number.value, numberRange: number.range,
            code: StackFrameLine.CodeAddress(address: address?.value), site: .adjusted)
        var end = line.count
        if let build = line.buildID(before: end, from: nameStart) {
            frame.image = build.id
            end = build.start
        }
        guard let group = line.group(before: end, from: nameStart),
            let module = Self.module(line, group.inner)
        else { return moduleless(frame, line, nameStart..<end) }
        if let address, address.end - start == wideAddressLength { frame.site = .returnAddress }
        frame.code.module = module.name
        frame.code.offset = module.offset
        let slotEnd = max(nameStart, group.start - 1)
        frame.slot = nameStart..<slotEnd
        frame.function = function(line, nameStart..<slotEnd)
        return frame
    }

    /// Parses a frame without a module: one with a source line, one of unknown code, or one of
    /// Chromium or elfutils, which have a function after an address of at least 12 digits.
    private static func moduleless(
        _ frame: StackFrameLine, _ line: NodeBytes, _ range: Range<Int>
    ) -> StackFrameLine? {
        guard frame.code.address != nil, let digits = frame.numberRange else { return nil }
        var frame = frame
        if line.begins(with: " in ", at: range.lowerBound) {
            frame.function = function(line, range)
            return frame.function?.file == nil ? nil : frame
        }
        let start = line.skipBlanks(from: range.lowerBound)
        let end = line.trimmedEnd(start..<max(start, range.upperBound))
        if isModuleStart(line.text(start..<end)) { return frame }
        guard range.lowerBound - digits.upperBound >= narrowAddressLength, start < end,
            line.first(" + 0x", in: start..<end) == nil, isNameStart(line[start])
        else { return nil }
        frame.site = .byPosition
        frame.function = ReportedFunction(name: line.text(start..<end))
        return frame
    }

    /// Whether a text is `(<unknown module>)`, or the start of a module or of `in` where the line is
    /// truncated.
    private static func isModuleStart(_ text: String) -> Bool {
        let namespace = "(anonymous namespace)"
        if ["i", "in"].contains(text) { return true }
        return text.hasPrefix("(") && !text.hasPrefix(namespace)
    }

    /// The lengths in characters, with `0x`, of a 48-bit address and of one padded to 64 bits.
    private static let (narrowAddressLength, wideAddressLength) = (14, 18)

    private static func isNameStart(_ byte: UInt8) -> Bool {
        "_(~<".utf8.contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Parses `/src/cellar+0x238a` or `/src/cellar:x86_64+0x100000e2a`.
    private static func module(
        _ line: NodeBytes, _ range: Range<Int>
    ) -> (name: String, offset: UInt64)? {
        guard let plus = line.last("+0x", in: range), plus > range.lowerBound,
            let offset = line.hexadecimal(plus + 1..<range.upperBound)
        else { return nil }
        var name = line.text(range.lowerBound..<plus)
        if let colon = name.lastIndex(of: ":"),
            Architecture(name: String(name[name.index(after: colon)...])) != nil
        {
            name = String(name[..<colon])
        }
        return (name, offset)
    }

    /// Parses ` in cellar::spoil() /src/Cellar.cpp:46:9`. The word `in` may be missing, and unknown
    /// parts are `<null>`.
    private static func function(_ line: NodeBytes, _ range: Range<Int>) -> ReportedFunction? {
        let first = line.skipBlanks(from: range.lowerBound)
        var start = line.begins(with: "in ", at: first) ? first + 3 : first
        start = min(start, range.upperBound)
        var end = line.trimmedEnd(start..<range.upperBound)
        var function = ReportedFunction(name: "")
        if let blank = locationStart(line, start..<end) {
            if !line.begins(with: "<null>", at: blank + 1),
                let location = line.sourceLocation(blank + 1..<end)
            {
                function.file = location.file
                function.line = location.line
                function.column = location.column
            }
            end = line.trimmedEnd(start..<blank)
        } else if let plus = line.last("+0x", in: start..<end), plus > start,
            let distance = line.hexadecimal(plus + 1..<end)
        {
            function.distance = distance
            end = plus
        }
        function.name = line.text(start..<end)
        return function.name.isEmpty || function.name == "<null>" ? nil : function
    }

    /// Returns the position of the space before the source location, or before `<null>` or
    /// `<null>:3`. Names and paths may contain spaces.
    private static func locationStart(_ line: NodeBytes, _ range: Range<Int>) -> Int? {
        if line.ends(range, with: " <null>") { return range.upperBound - 7 }
        if let slash = line.first(" /", in: range),
            line.sourceLocation(slash + 1..<range.upperBound) != nil
        {
            return slash
        }
        guard let blank = line.bytes[range].lastIndex(of: .space),
            line.sourceLocation(blank + 1..<range.upperBound) != nil
        else { return nil }
        return blank
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}
