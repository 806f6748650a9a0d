import CallStacks

/// A stack printed by `NSException.callStackSymbols`, one line per frame, innermost first:
///
///     3   Shop Floor                          0x0000000104a1c758 Shop Floor + 231256
///
/// All addresses are return addresses, because the backtrace was taken inside the runtime. The word
/// before the plus sign is a symbol, the UUID of the image, or its name. A name refers to the
/// reporting image, whose UUID the SDK may have sent. The text of other lines is kept in place of a
/// function. Parentheses around the stack, and lines without a frame number before the stack, are
/// dropped.
struct ExceptionText {
    private let lines: [ExceptionTextLine]
    /// Whether lines were dropped.
    private let isTruncated: Bool

    /// The maximum length of a line in bytes. Longer ones are dropped.
    static let lineBytesLimit = 1 << 16

    /// Returns `nil` if no line has the format, or if it is a report of threads with headings, which
    /// may follow another heading.
    init?(_ text: ArraySlice<UInt8>, limits: PayloadLimits) {
        var lines: [ExceptionTextLine] = []
        var (hasLongLine, hasHeading) = (false, false)
        var rest = text
        while !rest.isEmpty, lines.count < limits.framesPerTree {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            guard line.count <= Self.lineBytesLimit else {
                hasLongLine = true
                continue
            }
            guard let line = ExceptionTextLine(line) else { continue }
            if line.isHeading, line.isOfReport || lines.isEmpty && hasHeading { return nil }
            if line.isNumbered || !lines.isEmpty && !line.isParenthesis {
                lines.append(line)
            } else if line.isHeading {
                hasHeading = true
            }
        }
        guard lines.contains(where: { $0.distance != nil }) else { return nil }
        self.lines = lines
        isTruncated = hasLongLine || rest.contains { $0 > 0x20 }
    }

    func tree(reportedBy executable: Executable) -> CallStackTree {
        var tree = CallStackTree(form: .threads, remarks: isTruncated ? [.frameLimit] : [])
        let loaded = LoadedImages(of: lines, reportedBy: executable)
        for line in lines {
            let parent = tree.frames.indices.last
            tree.frames.append(line.frame(parent: parent, in: loaded))
            guard let function = line.function else { continue }
            tree.reportedFunctions[tree.frames.count - 1] = [function]
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

/// The images whose load addresses follow from lines with an offset.
struct LoadedImages {
    private let executable: Executable
    private var images: [String: (id: ImageID, load: UInt64)] = [:]

    init(of lines: [ExceptionTextLine], reportedBy executable: Executable) {
        self.executable = executable
        for line in lines {
            guard let name = line.imageName, let id = id(named: line), let load = line.loadAddress
            else { continue }
            images[name] = (id, load)
        }
    }

    /// Returns the identity of a line's image, the offset in it, and its load address if known.
    ///
    /// The image of a symbol is known if another line has an offset in it.
    func place(of line: ExceptionTextLine) -> (image: ImageID, offset: UInt64, load: UInt64?)? {
        if let id = id(named: line), let offset = line.distance {
            return (id, offset, line.loadAddress)
        }
        guard line.isSymbol, let address = line.address, let name = line.imageName,
            let (id, load) = images[name], address > load,
            address - load < OffsetDecoder.implausible
        else { return nil }
        return (id, address - load, load)
    }

    private func id(named line: ExceptionTextLine) -> ImageID? {
        if line.isOffsetInNamedImage {
            return executable.name ?? line.imageName == line.imageName ? executable.image : nil
        }
        return line.imageOfOffset
    }
}
