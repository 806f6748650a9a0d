import CallStacks
import MetricKitPayloads

/// Assigns the frames of allocations to images.
struct AllocationReport {
    private let parser: LeaksParser
    private let input: TextReportInput
    private let sections: CrashTextSections
    private var images: [ListedImage]
    private let table: ImageAddressMap
    private let architecture: Architecture?
    /// Load addresses by image name, as frames state them.
    private var bases: [String: UInt64] = [:]
    private var stacks: StackCollector
    private var rewriter: AllocationRewriter

    init(_ parser: LeaksParser, _ input: TextReportInput) {
        self.parser = parser
        self.input = input
        let own = parser.ownLines
        sections = CrashTextSections(
            input.lines, parser.range, limits: input.context.limits, isSkipped: own.contains)
        images = sections.images
        table = ImageAddressMap(images)
        architecture = sections.header["code type"].flatMap(Architecture.init(reported:))
        stacks = StackCollector(limits: input.context.limits)
        rewriter = AllocationRewriter(lines: input.lines)
        addExecutable()
        collectBases()
        for stack in parser.stacks { add(stack) }
    }

    var report: CrashReport {
        var diagnostic = Diagnostic(
            kind: .unknown, details: details, tree: stacks.tree,
            remarks: sections.remarks + parser.remarks + missingParts)
        diagnostic.images = images
        return CrashReport(
            .leaks, range: input.lines.range(of: parser.range), label: details.processName,
            content: .resolved(diagnostic), rewriter: rewriter)
    }

    private var missingParts: [Remark] {
        sections.images.isEmpty ? [.noImageList] : []
    }

    private var details: DiagnosticDetails {
        var details = sections.details(nil)
        details.runtimeMessage = parser.summary
        details.sections += parser.listing.sections
        return details
    }

    /// Adds the main executable from the header, unless images are listed. Its size is unknown, so
    /// only frames that name it are in it.
    private mutating func addExecutable() {
        guard sections.images.isEmpty else { return }
        var keys = ReportKeys()
        for line in parser.range.prefix(64) {
            if let key = ReportKey(input.lines.content(line)), key.isAtMargin { keys.add(key) }
        }
        let text = keys["Load Address"].map { [UInt8]($0.utf8) } ?? []
        guard let base = UInt64(number: text[...]), base > 0 else { return }
        let process = keys["Process"].map { ReportKeys.split($0).name }
        let path = keys["Path"]
        let name = path?.split(separator: "/").last.map(String.init) ?? process
        images.append(ListedImage(name: name, path: path))
        for name in [name, keys["Identifier"]].compactMap(\.self) { bases[name] = base }
    }

    /// Without an image list, a load address in a frame applies to all frames of the image.
    private mutating func collectBases() {
        guard sections.images.isEmpty else { return }
        for frame in parser.stacks.lazy.flatMap(\.frames) {
            guard let image = frame.image, let base = frame.base, let address = frame.address,
                base > 0, base <= address, bases[image] == nil,
                bases.count < input.context.limits.imagesPerTree
            else { continue }
            bases[image] = base
        }
    }

    private mutating func add(_ stack: LeaksParser.Stack) {
        var records: [AllocationRewriter.Record] = []
        for frame in stack.frames.reversed() {
            let physical = stacks.append(callFrame(frame), given: frame.function)
            // A stack that was not read completely is not rewritten.
            guard let physical else {
                records = []
                break
            }
            records.append(.init(frame: frame, physical: physical))
        }
        rewriter.add(records.reversed(), isChain: stack.isChain)
        stacks.endStack(name: stack.name, isAttributed: false, role: .allocation)
    }

    /// Returns the frame with a return address. Even the innermost frame has one, because it called
    /// the function that recorded the stack.
    private func callFrame(_ frame: AllocationFrame) -> CallFrame {
        guard let address = frame.address else {
            return CallFrame(image: nil, imageName: frame.image, site: nil)
        }
        let found = table.image(at: RuntimeAddress(address))
        guard let offset = found?.offset ?? statedOffset(of: address, in: frame.image) else {
            let name = frame.image == "???" ? nil : frame.image
            return CallFrame(
                image: nil, imageName: name, site: nil, address: RuntimeAddress(address))
        }
        let image = found.map { images[$0.position] } ?? ListedImage()
        return CallFrame(
            in: image, named: frame.image ?? image.name, at: offset, address: address,
            isReturnAddress: true, on: architecture)
    }

    /// Returns the offset in an image that is not listed, but whose load address a frame states.
    private func statedOffset(of address: UInt64, in image: String?) -> ImageOffset? {
        guard let base = image.flatMap({ bases[$0] }), address >= base else { return nil }
        return ImageOffset(address - base)
    }
}
