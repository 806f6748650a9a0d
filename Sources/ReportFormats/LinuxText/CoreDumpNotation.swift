import CallStacks

/// The description of a core dump by systemd, as in `coredumpctl info` and the journal:
///
///     Process 4711 (cellar) of user 1000 dumped core.
///
///     Module /usr/bin/cellar with build-id 2e1f…
///     Stack trace of thread 4711:
///     #0  0x000055f41410c38a n/a (cellar + 0x238a)
///     #1  0x00007f0b3fe45249 __libc_start_call_main (libc.so.6 + 0x27249)
///
/// Addresses are those of elfutils' unwinder: program counters in the first frame and in frames
/// that a signal interrupted, return addresses in others. Offsets are relative to the first mapped
/// byte of the module.
enum CoreDumpNotation: StackNotation {
    static let format = CrashFormat.coreDump
    static let offsets = OffsetOrigin.image
    static let gapLimit = 64

    static func begins(_ line: ArraySlice<UInt8>) -> Bool {
        if line.position(of: " dumped core.") != nil { return line.position(of: "Process ") != nil }
        if line.position(of: "tack trace of thread ") != nil { return true }
        if line.trimmed.starts(with: "PID: ".utf8) {
            return line.trimmed.last == UInt8(ascii: ")")
        }
        if line.position(of: "odule ") != nil, line.position(of: "build-id") != nil {
            return module(line) != nil
        }
        guard line.contains(UInt8(ascii: "#")), line.position(of: " + 0x") != nil
        else { return false }
        return frame(NodeBytes(line)) != nil
    }

    static func line(_ line: NodeBytes) -> StackLine? {
        if let frame = Self.frame(line) { return .frame(frame) }
        let bytes = line.bytes[...]
        if let position = bytes.position(of: "tack trace of thread ") {
            return .stack(name: "thread " + bytes[(position + 21)...].trimmed.text.trimmedColon)
        }
        if let image = module(bytes) { return .image(image) }
        let text = bytes.trimmed.text
        if text.hasSuffix(" dumped core."), let start = text.firstRange(of: "Process ") {
            return .report(
                StackReportHead(process: Self.parenthesized(String(text[start.upperBound...]))))
        }
        if text.hasPrefix("PID: ") {
            return .report(StackReportHead(process: Self.parenthesized(text)))
        }
        if text.hasPrefix("Signal: ") {
            return Self.parenthesized(text).map { .signal("SIG" + $0) }
        }
        if text.hasPrefix("Executable: /") {
            return .image(ListedImage(path: String(text.dropFirst(12))))
        }
        return text.hasPrefix("Timestamp: ")
            ? .time(String(text.dropFirst(11).prefix { $0 != "(" }).trimmed) : nil
    }

    static func text(
        of function: SymbolicatedFrame, in frame: StackFrameLine, _ line: NodeBytes
    ) -> String {
        guard let slot = frame.slot,
            let group = moduleGroup(line, before: slot.upperBound, from: slot.lowerBound)
        else { return "" }
        let name = function.function ?? function.mangled ?? "n/a"
        let location = function.locationText.map { " (\($0))" } ?? ""
        let mark = function.isInlined ? " [inlined]" : ""
        return " \(name) \(line.text(group.start..<group.inner.upperBound + 1))\(location)\(mark)"
    }

    /// Parses `Module /usr/bin/cellar with build-id 2e1f…`, or the format of older versions:
    /// `Found module /usr/bin/cellar with build-id: 2e1f…`.
    private static func module(_ line: ArraySlice<UInt8>) -> ListedImage? {
        guard let start = line.position(of: "odule "),
            let end = line.position(of: " with build-id", from: start), start + 6 < end,
            let id = ImageID(
                utf8: line[(end + 14)...].trimmed.drop { $0 == UInt8(ascii: ":") || $0 == .space })
        else { return nil }
        return ListedImage(id: id, path: line[(start + 6)..<end].text)
    }

    private static func frame(_ line: NodeBytes) -> StackFrameLine? {
        guard let number = line.frameNumber(),
            let address = line.address(from: number.range.upperBound)
        else { return nil }
        let text = line.trimmedEnd(address.end..<line.count)
        guard let group = moduleGroup(line, before: text, from: address.end) else {
            return withoutOffset(line, number, address, end: text)
        }
        guard let plus = line.last(" + 0x", in: group.inner),
            let offset = line.hexadecimal(plus + 3..<group.inner.upperBound)
        else { return nil }
        var frame = StackFrameLine(
            number: number.value, numberRange: number.range,
            code: StackFrameLine.CodeAddress(
                module: line.text(group.inner.lowerBound..<plus), offset: offset,
                address: address.value
            ).known,
            site: number.value == 0 ? .programCounter : .returnAddress)
        frame.slot = address.end..<text
        let name = line.text(address.end..<group.start).trimmed
        let rest = line.text(group.inner.upperBound + 1..<text)
        if name != "n/a", !name.isEmpty { frame.function = FrameSymbolText.symbol(name + rest) }
        return frame
    }

    /// Parses `#0  0x00005562c2b9f11d n/a (/tmp/a.out)`, the frame format before version 244.
    private static func withoutOffset(
        _ line: NodeBytes, _ number: (value: Int, range: Range<Int>),
        _ address: (value: UInt64, end: Int), end: Int
    ) -> StackFrameLine? {
        guard let group = line.group(before: end, from: address.end), !group.inner.isEmpty,
            line.wordEnd(from: group.inner.lowerBound) >= group.inner.upperBound
        else { return nil }
        let name = line.text(address.end..<group.start).trimmed
        guard !name.isEmpty else { return nil }
        var frame = StackFrameLine(
            number: number.value, numberRange: number.range,
            code: StackFrameLine.CodeAddress(module: line.text(group.inner), address: address.value)
                .known,
            site: number.value == 0 ? .programCounter : .returnAddress)
        if name != "n/a" { frame.function = ReportedFunction(name: name) }
        return frame
    }

    /// Returns the last group that names a module. A source location and a mark may follow it.
    private static func moduleGroup(
        _ line: NodeBytes, before end: Int, from start: Int
    ) -> (inner: Range<Int>, start: Int)? {
        guard let plus = line.last(" + 0x", in: start..<end),
            let close = line.bytes[plus..<end].firstIndex(of: UInt8(ascii: ")"))
        else { return nil }
        return line.group(before: close + 1, from: start)
    }

    /// Returns `cellar` from `PID: 4711 (cellar)`.
    private static func parenthesized(_ text: String) -> String? {
        guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close
        else { return nil }
        return String(text[text.index(after: open)..<close])
    }
}

extension StackFrameLine.CodeAddress {
    /// The location, without module and offset if systemd knows neither: `(n/a + 0x0)`.
    fileprivate var known: Self { module == "n/a" ? Self(address: address) : self }
}

extension String {
    /// The text without a trailing colon.
    var trimmedColon: String { hasSuffix(":") ? String(dropLast()) : self }
}
