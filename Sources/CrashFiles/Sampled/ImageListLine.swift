import CallStacks

/// One line of the images that a spindump or a sample lists:
///
///     0x104a2c000 - 0x104a2ffff  com.example.demo 1.2 (34)  <CF441AF5-…>  /Applications/Demo
///     *0xfffffe0007004000 - ???  kernel (20.3.0)  <…>  /System/Library/Kernels/kernel
enum ImageListLine {
    static func image(_ content: ArraySlice<UInt8>) -> ReportedImage? {
        let bytes = NodeBytes(content)
        var place = bytes.skipBlanks(from: 0)
        if bytes.holds("*", at: place) { place += 1 }
        guard let (base, afterBase) = word(bytes, from: place),
            let start = bytes.hexadecimal(base),
            let (dash, afterDash) = word(bytes, from: afterBase), bytes.text(dash) == "-",
            let (end, afterEnd) = word(bytes, from: afterDash)
        else { return nil }
        var image = ReportedImage(base: RuntimeAddress(start))
        if let last = bytes.hexadecimal(end) {
            guard last >= start else { return nil }
            image.size = (last - start).addingReportingOverflow(1).partialValue
        } else if bytes.text(end) != "???" {
            return nil
        }
        let rest = afterEnd..<bytes.trimmedEnd(afterEnd..<bytes.count)
        let identity = identity(bytes, in: rest)
        image.id = identity?.id
        let path =
            identity.map { bytes.skipBlanks(from: $0.range.upperBound) }
            ?? bytes.first(" /", in: rest).map { $0 + 1 }
        if let path, path < rest.upperBound {
            image.path = bytes.text(path..<rest.upperBound)
        }
        image.name =
            image.path?.split(separator: "/").last.map(String.init)
            ?? name(bytes, rest.lowerBound..<(identity?.range.lowerBound ?? rest.upperBound))
        return image
    }

    private static func word(
        _ bytes: NodeBytes, from start: Int
    ) -> (range: Range<Int>, end: Int)? {
        let start = bytes.skipBlanks(from: start)
        guard start < bytes.count else { return nil }
        let end = bytes.bytes[start...].firstIndex(where: \.isBlank) ?? bytes.count
        return (start..<end, bytes.skipBlanks(from: end))
    }

    private static func identity(
        _ bytes: NodeBytes, in range: Range<Int>
    ) -> (id: ImageID?, range: Range<Int>)? {
        var rest = range
        while let open = bytes.first("<", in: rest) {
            guard let close = bytes.first(">", in: open..<range.upperBound) else { return nil }
            let text = bytes.text(open + 1..<close)
            let id = ImageID(text)
            if id?.hasUUIDLength == true || text == "(null)" { return (id, open..<close + 1) }
            rest = open + 1..<range.upperBound
        }
        return nil
    }

    /// What stands before the version, without the mark of an image that is not the system's.
    private static func name(_ bytes: NodeBytes, _ range: Range<Int>) -> String? {
        let start = bytes.holds("+", at: range.lowerBound) ? range.lowerBound + 1 : range.lowerBound
        let range = start..<max(start, range.upperBound)
        let end = bytes.first(" (", in: range) ?? range.upperBound
        let name = bytes.text(start..<bytes.trimmedEnd(start..<end))
        return name.isEmpty ? nil : name
    }
}
