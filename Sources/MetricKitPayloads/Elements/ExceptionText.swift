import CallStacks

/// A stack printed by `NSException.callStackSymbols`, one line per frame, innermost first:
///
///     3   Shop Floor                          0x0000000104a1c758 Shop Floor + 231256
///
/// All addresses are return addresses, because the backtrace was taken inside the runtime. The word
/// before the plus sign is a symbol, the UUID of the image, or its name. A name refers to the
/// reporting image, whose UUID the SDK may have sent.
struct ExceptionText {
    let lines: [Line]
    /// Whether lines may have been dropped.
    let isTruncated: Bool

    struct Line: Hashable {
        let imageName: String
        let address: UInt64
        /// The origin of ``distance``: a UUID, the image's own name, or a symbol.
        let origin: String
        let distance: UInt64
    }

    /// The maximum length of a line in bytes.
    static let lineBytesLimit = 1 << 16

    /// Returns `nil` if no line has the format.
    init?(_ text: ArraySlice<UInt8>, limits: PayloadLimits) {
        var lines: [Line] = []
        var rest = text
        while !rest.isEmpty, lines.count < limits.framesPerTree {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            if let line = Line(line) { lines.append(line) }
        }
        if lines.isEmpty { return nil }
        self.lines = lines
        isTruncated = !rest.isEmpty
    }

    func tree(reportedBy executable: Executable) -> CallStackTree {
        var tree = CallStackTree(form: .threads, remarks: isTruncated ? [.frameLimit] : [])
        for line in lines {
            let parent = tree.frames.indices.last
            tree.frames.append(line.frame(parent: parent, reportedBy: executable))
        }
        tree.stacks = [CallStack(index: 0, isAttributed: true, frames: 0..<tree.frames.count)]
        return tree
    }
}

/// The main image of the reporting process. Only an exception text may be looked up in it: other
/// diagnostics may be from an earlier build.
struct Executable: Hashable {
    /// The name, or `nil` if the SDK does not send it.
    var name: String?
    var image: ImageID?
}

extension ExceptionText.Line {
    /// Parses from both ends, because image and symbol names contain spaces, brackets and signs.
    init?(_ line: ArraySlice<UInt8>) {
        guard line.count <= ExceptionText.lineBytesLimit,
            let first = line.first(where: { $0 > 0x20 }), (0x30...0x39).contains(first)
        else { return nil }
        let words = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\r" }
        guard words.count >= 6, Int(words[0]) != nil,
            words[words.count - 2] == "+", let distance = UInt64(words[words.count - 1]),
            let addressIndex = words.dropFirst(2).firstIndex(where: { $0.hasPrefix("0x") }),
            addressIndex < words.count - 3,
            let address = UInt64(words[addressIndex].dropFirst(2), radix: 16)
        else { return nil }
        imageName = words[1..<addressIndex].joined(separator: " ")
        self.address = address
        origin = words[(addressIndex + 1)..<(words.count - 2)].joined(separator: " ")
        self.distance = distance
    }

    fileprivate func frame(parent: Int?, reportedBy executable: Executable) -> CallFrame {
        let image = image(reportedBy: executable)
        let isOffset = image != nil && distance < OffsetDecoder.implausible
        let load = address.subtractingReportingOverflow(distance)
        return CallFrame(
            image: image, imageName: imageName,
            site: isOffset ? .returnAddress(ImageOffset(distance)) : nil,
            address: RuntimeAddress(address),
            loadAddress: isOffset && !load.overflow ? RuntimeAddress(load.partialValue) : nil,
            parent: parent, remarks: image == nil ? [.noUUID] : [])
    }

    private func image(reportedBy executable: Executable) -> ImageID? {
        if origin == imageName {
            return executable.name ?? imageName == imageName ? executable.image : nil
        }
        guard origin.utf8.count == 36, let image = ImageID(origin), image.hasUUIDLength
        else { return nil }
        return image
    }
}
