import CallStacks

/// Samples printed by `perf script`, with the mappings if `--show-mmap-events` is given:
///
///     cellar 4711   986.175482:     250000 cpu-clock:pppH:
///     	            13b8 cellar::toast(int)+0x18 (/src/cellar)
///     	           27249 [unknown] (/usr/lib/x86_64-linux-gnu/libc.so.6)
///
/// The number printed for user code is its file offset in versions 5.15 to 6.2, and its address in
/// others; the mappings or the module's own range distinguish the two. The first address is the
/// program counter. The others are return addresses if the kernel followed frame pointers. If perf
/// itself unwound the stack, it has already moved them back, and moving them back by one more byte
/// stays within the call.
enum PerfNotation: StackNotation {
    static let format = CrashFormat.perfScript
    static let kind = DiagnosticKind.unknown
    static let hasCrashedStack = false
    static let offsets = OffsetOrigin.file
    static let gapLimit = 1

    static func begins(_ line: ArraySlice<UInt8>) -> Bool {
        if line.position(of: "PERF_RECORD_MMAP") != nil { return mapping(NodeBytes(line)) != nil }
        guard line.first?.isBlank == true else { return isHeader(NodeBytes(line)) }
        guard let frame = Self.frame(NodeBytes(line)) else { return false }
        return frame.function?.distance != nil || line.position(of: "[unknown] (") != nil
    }

    static func start(of line: ArraySlice<UInt8>) -> Int {
        // Before a frame's address is a tab.
        guard let tab = line.lastIndex(of: UInt8(ascii: "\t")),
            frame(NodeBytes(line[tab...])) != nil
        else { return 0 }
        return tab - line.startIndex
    }

    static func line(_ line: NodeBytes) -> StackLine? {
        if let frame = Self.frame(line) { return .frame(frame) }
        if line.first("PERF_RECORD_", in: 0..<line.count) != nil {
            return mapping(line).map(StackLine.mapping) ?? .other
        }
        let text = line.bytes[...].trimmed
        if text.isEmpty { return .other }
        if isHeader(line) { return .stack(name: text.text.trimmedColon) }
        guard line.begins(with: "  ", at: 0) else { return nil }
        let range = 2..<line.trimmedEnd(2..<line.count)
        if isUnknownSource(line, range) { return .other }
        return line.sourceLocation(range).map {
            .source(StackSourceLine(file: $0.file, line: $0.line))
        }
    }

    /// Whether the text stands for an unknown source location: `[kernel.kallsyms][ffffffff81afa370]`
    /// or `cellar[13b8]`.
    private static func isUnknownSource(_ line: NodeBytes, _ range: Range<Int>) -> Bool {
        guard line.ends(range, with: "]"),
            let open = line.bytes[range].lastIndex(of: UInt8(ascii: "["))
        else { return false }
        return line.hexadecimalDigits(open + 1..<range.upperBound - 1) != nil
    }

    static func text(
        of function: SymbolicatedFrame, in frame: StackFrameLine, _ line: NodeBytes
    ) -> String {
        let name = function.function ?? function.mangled ?? "[unknown]"
        let distance = function.functionDistance.map { "+0x" + String($0, radix: 16) } ?? ""
        let module = function.isInlined ? "inlined" : frame.code.module ?? "[unknown]"
        // As with the field `srcline`, the source location has its own line.
        let location = function.file == nil ? nil : function.locationText
        return " \(name)\(function.isInlined ? "" : distance) (\(module))"
            + (location.map { "\n  \($0)" } ?? "")
    }

    private static func frame(_ line: NodeBytes) -> StackFrameLine? {
        let start = line.skipBlanks(from: 0)
        let end = line.wordEnd(from: start)
        guard start > 0, let value = line.hexadecimalDigits(start..<end),
            let group = line.group(before: line.count, from: end), group.start > end
        else { return nil }
        var frame = StackFrameLine(
            code: StackFrameLine.CodeAddress(address: value), site: .byPosition)
        let module = line.text(group.inner)
        frame.slot = end..<line.trimmedEnd(end..<line.count)
        frame.function = function(line, end..<group.start)
        if module == "inlined" {
            frame.function?.isInlined = true
        } else {
            frame.code.module = module
            frame.code.offset = module.hasPrefix("/") ? value : nil
        }
        return frame
    }

    /// Parses ` cellar::toast(int)+0x18`.
    private static func function(_ line: NodeBytes, _ range: Range<Int>) -> ReportedFunction? {
        let name = line.text(range).trimmed
        guard !name.isEmpty, name != "[unknown]" else { return nil }
        guard let plus = name.range(ofLast: "+0x"),
            let distance = UInt64(name[plus...].dropFirst(3), radix: 16)
        else { return ReportedFunction(name: name) }
        return ReportedFunction(name: String(name[..<plus]), distance: distance)
    }

    /// Whether the line has a program, its process, a time, and the event: `cellar 4711/4712 [003]
    /// 986.175482: … cycles:`.
    private static func isHeader(_ line: NodeBytes) -> Bool {
        let words = line.bytes[...].trimmed.split(whereSeparator: \.isBlank)
        guard words.count >= 4, words.last?.last == UInt8(ascii: ":"),
            let time = words.firstIndex(where: isTime), time >= 2
        else { return false }
        return words[1..<time].contains { word in
            word.first?.isDigit == true && word.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "/") }
        }
    }

    private static func isTime(_ word: ArraySlice<UInt8>) -> Bool {
        let parts = word.dropLast().split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return word.last == UInt8(ascii: ":") && parts.count == 2
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isDigit) }
    }

    /// Parses `PERF_RECORD_MMAP2 4711/4711: [0x55f414109000(0x3000) @ 0x1000 08:01 123 0]: r-xp
    /// /src/cellar`, which may have `<2e1f…>` instead of the device.
    private static func mapping(_ line: NodeBytes) -> StackMapping? {
        guard let open = line.first("[0x", in: 0..<line.count),
            let size = line.first("(0x", in: open..<line.count),
            let close = line.first(") @ ", in: size..<line.count),
            let end = line.first("]: ", in: close..<line.count),
            let base = line.hexadecimal(open + 1..<size),
            let length = line.hexadecimal(size + 1..<close),
            let slash = line.first(" /", in: end..<line.count)
        else { return nil }
        let word = line.wordEnd(from: close + 4)
        let offset = line.hexadecimal(close + 4..<word) ?? line.decimal(close + 4..<word)
        let (limit, overflows) = base.addingReportingOverflow(length)
        guard let offset, !overflows, length > 0 else { return nil }
        var id: ImageID?
        if line.begins(with: "<", at: word + 1), line.ends(0..<end, with: ">") {
            id = ImageID(utf8: line.bytes[word + 2..<end - 1])
        }
        return StackMapping(
            path: line.text(slash + 1..<line.trimmedEnd(slash + 1..<line.count)),
            range: base..<limit, fileOffset: offset, id: id)
    }
}
