import CallStacks

/// A frame line of an Android backtrace:
///
///     #01 pc 000000000005d412  /data/app/libpress.so (squeeze(int)+82) (BuildId: 58c5…d64b)
///     #01 pc 000000000005d412  /data/app/libpress.so (turn()) (press.cpp:7:9) [inlined] (BuildId: …)
///
/// Its address is relative to the file, not to the process, and was already moved back into the
/// call. The number may be preceded by the text that ``NodeBytes/androidContentStart`` skips.
package struct AndroidFrameLine {
    let number: Int
    let address: UInt64
    /// The path in the line, with `!` between an archive and a file inside it.
    let path: Range<Int>
    /// The image's identity, or `nil` if the line has none or an invalid one.
    let image: ImageID?
    let function: ReportedFunction?
    let isInlined: Bool
    /// The text after the function and the source location, including the blank before it.
    let tail: Range<Int>
    private let bytes: NodeBytes

    package init?(_ line: ArraySlice<UInt8>) {
        bytes = NodeBytes(line)
        let hash = bytes.androidContentStart
        guard bytes.begins(with: "#", at: hash),
            let (number, afterNumber) = bytes.word(from: hash + 1),
            let index = bytes.decimal(number).flatMap(Int.init(exactly:)),
            let (mark, afterMark) = bytes.word(from: afterNumber), bytes.text(mark) == "pc",
            let (digits, afterDigits) = bytes.word(from: afterMark),
            let address = bytes.hexadecimalDigits(digits), afterDigits < bytes.count
        else { return nil }
        self.number = index
        self.address = address
        var groups = TrailingGroups(bytes, in: afterDigits..<bytes.count)
        image = groups.takeIdentity()
        tail = groups.end..<bytes.trimmedEnd(afterDigits..<bytes.count)
        isInlined = groups.takeInlinedMark()
        function = groups.takeFunction(isInlined: isInlined)
        path = afterDigits..<groups.end
    }

    /// The path without notes about the file, or `nil` if it has no folder.
    var imagePath: String? {
        let path = bytes.text(path)
        guard path.hasPrefix("/") else { return nil }
        return path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path
    }

    /// The last component of the path, without notes such as `(deleted)`.
    var imageName: String {
        let name = bytes.text(path).split(whereSeparator: { $0 == "/" || $0 == "!" }).last ?? ""
        return String(name[..<(name.firstRange(of: " (")?.lowerBound ?? name.endIndex)])
    }

    /// Returns the text of a function, to be written between the path and the tail.
    func text(of function: SymbolicatedFrame) -> String {
        var text = " (" + (function.function ?? "???")
        if !function.isInlined, let distance = function.functionDistance { text += "+\(distance)" }
        text += ")"
        if let file = function.fileLabel {
            text += " (\(file):\(function.exactLine)"
            if function.exactColumn > 0 { text += ":\(function.exactColumn)" }
            text += ")"
        }
        return text + (function.isInlined ? " [inlined]" : "")
    }
}

/// The groups in parentheses at the end of a line, read from the last one.
private struct TrailingGroups {
    private let bytes: NodeBytes
    private let start: Int
    private(set) var end: Int

    init(_ bytes: NodeBytes, in range: Range<Int>) {
        self.bytes = bytes
        start = range.lowerBound
        end = bytes.trimmedEnd(range)
    }

    /// The text of the last group, and its start.
    private var last: (text: String, start: Int)? {
        guard bytes.ends(start..<end, with: ")"),
            let open = bytes.openingParenthesis(before: end, from: start), open > start,
            bytes[open - 1].isBlank
        else { return nil }
        return (bytes.text(open + 1..<end - 1), bytes.trimmedEnd(start..<open))
    }

    mutating func takeIdentity() -> ImageID? {
        guard let group = last, group.text.hasPrefix("BuildId: ") else { return nil }
        end = group.start
        return ImageID(group.text.dropFirst(9))
    }

    mutating func takeInlinedMark() -> Bool {
        guard bytes.ends(start..<end, with: " [inlined]") else { return false }
        end = bytes.trimmedEnd(start..<end - 10)
        return true
    }

    /// Takes a source location, which only a symbolicated line has, and the name before it. The
    /// name of a function that is not inlined ends in a distance; any other group is part of the
    /// path.
    mutating func takeFunction(isInlined: Bool) -> ReportedFunction? {
        let whole = end
        var location: NodeSourceLocation?
        if let group = last, let found = NodeSourceLocation(group.text, separator: ":") {
            location = found
            end = group.start
        }
        // In a truncated line, the group may be the offset of a library in its archive.
        guard let group = last, !group.text.hasPrefix("offset 0x") else {
            end = whole
            return nil
        }
        let plus = group.text.lastIndex(of: "+")
        let distance = plus.flatMap { UInt64(group.text[group.text.index(after: $0)...]) }
        guard distance != nil || isInlined || location != nil else {
            end = whole
            return nil
        }
        end = group.start
        let name =
            distance == nil ? group.text : String(group.text[..<(plus ?? group.text.endIndex)])
        return ReportedFunction(
            name: name, distance: distance, file: location?.file, line: location?.line ?? 0,
            column: location?.column ?? 0, isInlined: isInlined)
    }
}

extension NodeBytes {
    /// The start of a line's content, after the prefixes of logs and reports: spaces, `native: ` in
    /// traces of an app that does not respond, and the tag of the crash daemon.
    ///
    ///     11-20 08:00:00.000   431   431 F DEBUG   :       #00 pc 000000000005d412  /data/libpress.so
    ///     F/DEBUG   (  431):       #00 pc 000000000005d412  /data/libpress.so
    ///     2026-11-20 08:00:00.000   431-431   DEBUG    pid-431   F        #00 pc 000000000005d412  /data/libpress.so
    var androidContentStart: Int {
        let start = skipBlanks(from: 0)
        if begins(with: Self.traceMark, at: start) {
            return skipBlanks(from: start + Self.traceMark.utf8CodeUnitCount)
        }
        return endOfLogTag.map(skipBlanks(from:)) ?? start
    }

    /// Whether the line belongs to a trace of an app that does not respond.
    var isInAndroidTrace: Bool { begins(with: Self.traceMark, at: skipBlanks(from: 0)) }

    /// Whether the line is a record of a log.
    var isInAndroidLog: Bool { endOfLogTag != nil }

    private static let traceMark: StaticString = "native: "
    /// The maximum length of a log's tag before a line, in bytes.
    private static let logTagLimit = 128

    private var endOfLogTag: Int? {
        guard let tag = first("DEBUG", in: 0..<min(count, Self.logTagLimit)) else { return nil }
        var position = skipBlanks(from: tag + 5)
        if position < count, bytes[position] == UInt8(ascii: "("),
            let end = bytes[position...].firstIndex(of: UInt8(ascii: ")"))
        {
            position = skipBlanks(from: end + 1)
        }
        return begins(with: ":", at: position) ? position + 1 : endOfPriority(from: position)
    }

    /// Returns the end of the process and the priority after the tag, as Android Studio copies
    /// them: `pid-431    F  `.
    private func endOfPriority(from start: Int) -> Int? {
        guard let (_, position) = word(from: start), position < count,
            Self.priorities.contains(bytes[position])
        else { return nil }
        return position + 1 == count || begins(with: "  ", at: position + 1) ? position + 1 : nil
    }

    private static let priorities = Array("VDIWEFA".utf8)

    /// Returns the next word and the start of the one after it.
    fileprivate func word(from start: Int) -> (range: Range<Int>, next: Int)? {
        let start = skipBlanks(from: min(start, count))
        guard start < count else { return nil }
        let end = bytes[start...].firstIndex(where: \.isBlank) ?? count
        return (start..<end, skipBlanks(from: end))
    }
}
