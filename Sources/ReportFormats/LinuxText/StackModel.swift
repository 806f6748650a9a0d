import CallStacks
import MetricKitPayloads

/// A report of stacks as a diagnostic, with the rewriter for its symbolicated form.
struct StackModel {
    /// The report, or `nil` if there are no frames.
    let report: CrashReport?

    init(_ parser: StackParser, in lines: TextLines, limits: PayloadLimits) {
        var frames = StackFrames(parser, limits: limits)
        var records: [[StackRewriter.Record]] = []
        let attributed = parser.attributedStack
        for (number, stack) in parser.stacks.enumerated() where !stack.lines.isEmpty {
            records.append(frames.add(stack, isAttributed: number == attributed))
        }
        guard !frames.tree.frames.isEmpty else {
            report = nil
            return
        }
        var diagnostic = Diagnostic(
            kind: parser.kind, details: parser.details, tree: frames.tree,
            remarks: parser.remarks)
        diagnostic.images = frames.images.images
        var report = CrashReport(
            parser.notation.format, range: lines.range(of: parser.range),
            label: parser.details.processName, content: .resolved(diagnostic),
            rewriter: StackRewriter(
                lines: lines, notation: parser.notation, stacks: records))
        report.logLayout = .bare
        self.report = report
    }
}

/// Collects the frames of a report, joining the lines of one physical frame.
struct StackFrames {
    private(set) var images: StackImages
    private var collector: StackCollector
    private let notation: any StackNotation.Type
    private var table = ImageAddressMap([])
    private let mappings: StackMappingTable

    var tree: CallStackTree {
        var tree = collector.tree
        tree.offsetOrigin = notation.offsets
        return tree
    }

    init(_ parser: StackParser, limits: PayloadLimits) {
        images = parser.images
        notation = parser.notation
        mappings = images.mappingTable
        collector = StackCollector(limits: limits)
        for line in parser.stacks.joined() { locate(line.frame) }
        table = ImageAddressMap(images.images)
    }

    /// Derives the load address of a frame's module from the frame's offset and address.
    private mutating func locate(_ frame: StackFrameLine) {
        guard notation.offsets != .file, let module = frame.code.module,
            let position = images.position(of: module, frame.image),
            let offset = frame.code.offset, let address = frame.code.address, address >= offset
        else { return }
        images.locate(position, at: address - offset)
    }

    /// Adds the frames of a stack.
    mutating func add(
        _ stack: StackParser.Stack, isAttributed: Bool
    ) -> [StackRewriter.Record] {
        var records: [StackRewriter.Record] = []
        var run: [StackParser.Line] = []
        for line in stack.lines {
            if let last = run.last, !joins(line, run, last) {
                records.append(add(run, isFirst: records.isEmpty))
                run = []
            }
            run.append(line)
        }
        if !run.isEmpty { records.append(add(run, isFirst: records.isEmpty)) }
        collector.endStack(name: stack.name, isAttributed: isAttributed)
        return records
    }

    /// Whether a line belongs to the same physical frame as the lines before it. Without a mark, a
    /// repeated function is a recursive call.
    private func joins(
        _ line: StackParser.Line, _ run: [StackParser.Line], _ last: StackParser.Line
    ) -> Bool {
        let code = last.frame.code
        // An inlined call may lack the module of its function.
        if last.frame.function?.isInlined == true, let address = code.address {
            return line.frame.code.address == address
        }
        guard line.frame.code == code, code.offset != nil || code.address != nil
        else { return false }
        guard notation.repeatsAddresses, let function = line.frame.function, function.file != nil,
            last.frame.function?.file != nil
        else { return false }
        return !run.contains { $0.frame.function == function }
    }

    /// Adds a physical frame.
    private mutating func add(
        _ run: [StackParser.Line], isFirst: Bool
    ) -> StackRewriter.Record {
        var functions = run.compactMap(\.frame.function)
        for index in functions.indices { functions[index].isInlined = index + 1 < functions.count }
        var line = run[run.count - 1]
        // The call site of the innermost line applies to the physical frame.
        line.frame.site = run[0].frame.site
        line.isInterrupted = run[0].isInterrupted
        let physical = collector.append(frame(line, isFirst: isFirst), functions: functions)
        return StackRewriter.Record(lines: run, physical: physical)
    }

    private mutating func frame(_ line: StackParser.Line, isFirst: Bool) -> CallFrame {
        let code = line.frame.code
        var frame = CallFrame(
            image: line.frame.image, imageName: nil, site: nil,
            address: code.address.map { RuntimeAddress($0) })
        var offset = code.offset
        var position = code.module.flatMap { images.position(of: $0, line.frame.image) }
        if let address = code.address, offset == nil || notation.offsets == .file {
            (position, offset) = located(address, in: position) ?? (position, offset)
            // The address is also the offset if the image turns out to have a fixed address.
            let isPlaced = position.map { images.images[$0].base != nil } ?? true
            if notation.offsets == .link, offset == nil, !isPlaced { offset = address }
        }
        if let position {
            frame.image = images.images[position].id
            frame.imageName = images.images[position].name
            if code.address != nil { frame.loadAddress = images.images[position].base }
        } else {
            frame.imageName = code.module.map { String($0.split(separator: "/").last ?? "") }
        }
        frame.site = offset.map { site(ImageOffset($0), line, isFirst: isFirst) }
        if frame.image == nil, frame.site != nil { frame.remarks.append(.noUUID) }
        return frame
    }

    /// Returns the module and offset of an address, or `nil` if they are unknown. The module is the
    /// one in the line, or else the one mapped at the address.
    private func located(_ address: UInt64, in position: Int?) -> (Int?, UInt64?)? {
        switch notation.offsets {
        case .link:
            guard let position, let base = images.images[position].base?.rawValue, address >= base
            else { return nil }
            return (position, address - base)
        case .image:
            let own = position.flatMap { images.images[$0].base?.rawValue }
            if let position, let own, address >= own { return (position, address - own) }
            guard let found = table.image(at: RuntimeAddress(address)),
                position == nil || position == found.position
            else { return nil }
            return (found.position, found.offset.rawValue)
        case .file:
            guard let mapping = mappings.mapping(at: address, of: position) else { return nil }
            return (mapping.position, address - mapping.range.lowerBound &+ mapping.fileOffset)
        }
    }

    private func site(
        _ offset: ImageOffset, _ line: StackParser.Line, isFirst: Bool
    ) -> CallSite {
        if line.isInterrupted { return .programCounter(offset) }
        return switch line.frame.site {
        case .programCounter: .programCounter(offset)
        case .returnAddress: .returnAddress(offset)
        case .byPosition: isFirst ? .programCounter(offset) : .returnAddress(offset)
        case .adjusted: .adjusted(offset)
        }
    }
}

extension [StackParser.Stack] {
    fileprivate func joined() -> [StackParser.Line] { flatMap(\.lines) }
}
