import CallStacks

/// The output of lldb for `bt`, `bt all` and `thread backtrace`, and for `image list`, which has
/// the UUIDs and load addresses of images:
///
///     * thread #1, name = 'cellar', stop reason = signal SIGSEGV: invalid address
///       * frame #0: 0x0000555555555392 cellar`cellar::burst(litres=2) + 18 at Cellar.cpp:92:17
///         frame #1: 0x00005555555554c7 cellar`___lldb_unnamed_symbol12 + 251
///     [  0] 2E1F0B7C-…-9C 0x0000555555554000 /src/cellar
///
/// An address is the program counter in the innermost frame, and the return address in others.
enum LLDBNotation: StackNotation {
    static let format = CrashFormat.lldb
    static let offsets = OffsetOrigin.image
    static let gapLimit = 24

    static func begins(_ line: ArraySlice<UInt8>) -> Bool {
        if line.position(of: "frame #") != nil { return frame(NodeBytes(line)) != nil }
        return line.position(of: "thread #") != nil && thread(line) != nil
    }

    static func start(of line: ArraySlice<UInt8>) -> Int {
        let heads = ["* thread #", "  thread #"].lazy.compactMap { line.position(ofPrefixed: $0) }
        if let head = heads.first { return head - line.startIndex }
        guard let word = line.position(of: "frame #"), frame(NodeBytes(line)) != nil
        else { return 0 }
        let mark = line[..<word].suffix(4)
        let isMark = mark.allSatisfy { $0.isBlank || $0 == UInt8(ascii: "*") }
        return isMark ? mark.startIndex - line.startIndex : 0
    }

    static func line(_ line: NodeBytes) -> StackLine? {
        if let frame = Self.frame(line) { return .frame(frame) }
        let bytes = line.bytes[...]
        if let name = Self.thread(bytes) { return .stack(name: name, stop: stop(in: name)) }
        return image(line).map(StackLine.image)
    }

    static func text(
        of function: SymbolicatedFrame, in frame: StackFrameLine, _ line: NodeBytes
    ) -> String {
        let mark = function.isInlined ? "[inlined] " : ""
        let name = function.function ?? function.mangled ?? "???"
        var text = " \(frame.code.module ?? "???")`\(mark)\(name)"
        if let location = function.locationText {
            text += " at \(location)"
        } else if let distance = function.functionDistance {
            text += " + \(distance)"
        }
        return text
    }

    /// Returns the name from `* thread #1, name = 'cellar', stop reason = …`.
    private static func thread(_ line: ArraySlice<UInt8>) -> String? {
        let text = line.trimmed.drop { $0 == UInt8(ascii: "*") || $0 == .space }
        guard text.starts(with: "thread #".utf8), text.dropFirst(8).first?.isDigit == true
        else { return nil }
        return text.text
    }

    /// Returns `SIGSEGV` from `stop reason = signal SIGSEGV: …`, `EXC_BREAKPOINT` from
    /// `stop reason = EXC_BREAKPOINT (…`, and `nil` for breakpoints and steps.
    private static func stop(in name: String) -> String? {
        let key = ", stop reason = "
        guard let reason = name.firstRange(of: key).map({ name[$0.upperBound...] }) else {
            return nil
        }
        let isSignal = reason.hasPrefix("signal ")
        guard isSignal || reason.hasPrefix("EXC_") else { return nil }
        let word = reason.dropFirst(isSignal ? 7 : 0).prefix { $0 != " " && $0 != ":" && $0 != "," }
        return word.isEmpty ? nil : String(word)
    }

    private static func frame(_ line: NodeBytes) -> StackFrameLine? {
        guard let word = line.first("frame #", in: 0..<line.count) else { return nil }
        let digits = word + 7
        let colon = line.bytes[digits...].firstIndex { !$0.isDigit } ?? line.count
        guard let number = line.decimal(digits..<colon), number < 1_000_000,
            line.begins(with: ": ", at: colon), let address = line.address(from: colon + 2)
        else { return nil }
        var frame = StackFrameLine(
            number: Int(number), numberRange: digits..<colon,
            code: StackFrameLine.CodeAddress(address: address.value),
            site: number == 0 ? .programCounter : .returnAddress)
        let end = line.trimmedEnd(address.end..<line.count)
        frame.slot = address.end..<end
        guard let tick = line.bytes[address.end..<end].firstIndex(of: UInt8(ascii: "`"))
        else {
            // Without a function, only the image follows.
            let module = line.text(address.end..<end).trimmed
            if !module.isEmpty, !module.contains(" ") { frame.code.module = module }
            return frame
        }
        frame.code.module = line.text(address.end..<tick).trimmed
        frame.function = function(line, tick + 1..<end)
        // The frame has the arguments too.
        if frame.function?.file != nil { frame.slot = nil }
        return frame
    }

    /// The marks that lldb writes at the end of a frame, last to first.
    private static let marks: [(text: StaticString, isInlined: Bool)] = [
        (" [artificial]", false), (" [inlined]", true), (" [opt]", false),
    ]

    /// Parses `outer(int) [inlined] inner(int) + 18 at Cellar.cpp:92:17 [opt]`.
    private static func function(_ line: NodeBytes, _ range: Range<Int>) -> ReportedFunction? {
        var (start, end) = (range.lowerBound, range.upperBound)
        var function = ReportedFunction(name: "")
        for mark in marks where line.ends(start..<end, with: mark.text) {
            end -= mark.text.utf8CodeUnitCount
            if mark.isInlined { function.isInlined = true }
        }
        if let at = line.last(" at ", in: start..<end),
            let location = line.sourceLocation(at + 4..<end)
        {
            function.file = location.file
            function.line = location.line
            function.column = location.column
            end = at
        }
        if let plus = line.last(" + ", in: start..<end), let value = line.decimal(plus + 3..<end) {
            function.distance = value
            end = plus
        }
        if let mark = line.last("[inlined] ", in: start..<end) {
            function.isInlined = true
            start = mark + 10
        }
        end = startOfArguments(line, start..<end) ?? end
        function.name = line.text(start..<end).trimmed
        let isNameless = function.name.hasPrefix("___lldb_unnamed_symbol")
        return function.name.isEmpty || isNameless ? nil : function
    }

    /// Returns the start of the arguments' values in `cellar::burst(litres=2)`, which differ from
    /// crash to crash. Types, as in `burst(int)`, belong to the name.
    private static func startOfArguments(_ line: NodeBytes, _ range: Range<Int>) -> Int? {
        range.first { position in
            guard line[position] == UInt8(ascii: "("), position > range.lowerBound
            else { return false }
            let name = line.bytes[(position + 1)..<range.upperBound].prefix {
                !"=( ,)".utf8.contains($0)
            }
            return !name.isEmpty && line.begins(with: "=", at: name.endIndex)
        }
    }

    /// Parses `[  0] 2E1F0B7C-…-9C 0x0000555555554000 /src/cellar`.
    private static func image(_ line: NodeBytes) -> ListedImage? {
        let start = line.skipBlanks(from: 0)
        guard line.begins(with: "[", at: start),
            let close = line.bytes[start...].firstIndex(of: UInt8(ascii: "]"))
        else { return nil }
        let idStart = line.skipBlanks(from: close + 1)
        let idEnd = line.wordEnd(from: idStart)
        guard let id = ImageID(utf8: line.bytes[idStart..<idEnd]),
            let base = line.address(from: line.skipBlanks(from: idEnd))
        else { return nil }
        let path = line.skipBlanks(from: base.end)
        guard line.begins(with: "/", at: path) else { return nil }
        return ListedImage(
            id: id, path: line.text(path..<line.trimmedEnd(path..<line.count)),
            base: RuntimeAddress(base.value))
    }
}
