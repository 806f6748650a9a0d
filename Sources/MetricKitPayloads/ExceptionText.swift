import CallStacks

/// A stack as `NSException.callStackSymbols` prints it, a line a frame, innermost first:
///
///     3   Shop Floor                          0x0000000104a1c758 Shop Floor + 231256
///
/// All lines hold return addresses: the backtrace was taken inside of the runtime. The word before
/// the number is a symbol, the UUID of the image, or its name. A name stands for the image that
/// reports, whose UUID the SDK may have sent.
struct ExceptionText {
    let lines: [Line]

    struct Line: Hashable {
        let imageName: String
        let address: UInt64
        /// What ``distance`` counts from: a UUID, the image's own name, or a symbol.
        let origin: String
        let distance: UInt64
    }

    /// `nil` where no line fits.
    init?(_ text: String, limits: PayloadLimits) {
        lines = text.split(whereSeparator: \.isNewline).prefix(limits.framesPerTree)
            .compactMap(Line.init)
        if lines.isEmpty { return nil }
    }

    func tree(reportedBy executable: Executable) -> CallStackTree {
        var tree = CallStackTree(form: .threads)
        for line in lines {
            let parent = tree.frames.indices.last
            tree.frames.append(line.frame(parent: parent, reportedBy: executable))
        }
        tree.stacks = [CallStack(index: 0, isAttributed: true, frames: 0..<tree.frames.count)]
        return tree
    }
}

/// The main image of the process that reports. Only a text may be looked up in it: every other
/// diagnostic may be of an earlier build.
struct Executable: Hashable {
    /// `nil` where the SDK does not say.
    var name: String?
    var image: ImageID?
}

extension ExceptionText.Line {
    /// Reads from both ends, because names of images and symbols hold spaces, brackets and signs.
    init?(_ line: Substring) {
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count >= 6, Int(words[0]) != nil,
            words[words.count - 2] == "+", let distance = UInt64(words[words.count - 1]),
            let place = words.dropFirst(2).firstIndex(where: { $0.hasPrefix("0x") }),
            place < words.count - 3,
            let address = UInt64(words[place].dropFirst(2), radix: 16)
        else { return nil }
        imageName = words[1..<place].joined(separator: " ")
        self.address = address
        origin = words[(place + 1)..<(words.count - 2)].joined(separator: " ")
        self.distance = distance
    }

    fileprivate func frame(parent: Int?, reportedBy executable: Executable) -> CallFrame {
        let image = image(reportedBy: executable)
        let isOffset = image != nil && distance < TrueOffsets.implausible
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
