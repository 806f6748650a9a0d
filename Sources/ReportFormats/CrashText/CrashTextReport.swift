import CallStacks
import JSONText
import MetricKitPayloads

/// Assigns the frames of a text report to its images.
struct CrashTextReport {
    private let sections: CrashTextSections
    private let lines: TextLines
    private let context: ReadingContext
    private var images: [ListedImage]
    private let table: ImageAddressMap
    /// The first image of each name whose load address is unknown.
    private let unplacedImages: [String: ListedImage]
    /// The load addresses and identities that frames state, by image name.
    private var statedImages: [String: ListedImage] = [:]
    /// The same, of the frames of the current stack. They come first, because stacks without a
    /// report may be of several processes.
    private var stackImages: [String: ListedImage] = [:]
    private let architecture: Architecture?
    private(set) var stacks: StackCollector
    private(set) var rewriter: CrashTextRewriter

    init(_ sections: CrashTextSections, _ lines: TextLines, context: ReadingContext) {
        self.sections = sections
        self.lines = lines
        self.context = context
        let known = context.knownIdentities(main: sections.mainImageName)
        images = sections.images
        images.identify(by: known)
        images.add(unlisted: known)
        table = ImageAddressMap(images)
        unplacedImages = images.unplacedByName
        architecture = sections.header["code type"].flatMap(Architecture.init(reported:))
        stacks = StackCollector(limits: context.limits)
        rewriter = CrashTextRewriter(lines: lines)
        if sections.images.isEmpty {
            for stack in sections.stacks { addImages(of: stack, to: &statedImages) }
        }
        for stack in sections.stacks { read(stack) }
    }

    /// Adds a backtrace to the stacks of a report that lists its images elsewhere.
    init(
        backtrace lines: TextLines, images: [ListedImage], context: ReadingContext,
        stacks: StackCollector
    ) {
        sections = CrashTextSections(lines, lines.indices, limits: context.limits)
        self.lines = lines
        self.context = context
        self.images = images
        table = ImageAddressMap(images)
        unplacedImages = images.unplacedByName
        architecture = nil
        self.stacks = stacks
        rewriter = CrashTextRewriter(lines: lines)
        for var stack in sections.stacks {
            stack.head = .applicationBacktrace
            read(stack)
        }
    }

    /// The diagnostic of all stacks.
    var diagnostic: Diagnostic {
        var tree = stacks.tree
        if !tree.stacks.contains(where: { $0.isAttributed && $0.role == .thread }),
            let first = tree.stacks.firstIndex(where: { $0.role == .thread })
        {
            tree.stacks[first].isAttributed = true
        }
        var diagnostic = Diagnostic(
            kind: IPSHeader(context.header)?.bugType?.kind ?? sections.kind,
            details: sections.details(context.header), tree: tree,
            remarks: sections.remarks + missingParts)
        diagnostic.images = images
        return diagnostic
    }

    /// A report has threads and images; frames alone are not a report.
    private var missingParts: [Remark] {
        if sections.stacks.isEmpty { return [.textTruncated] }
        let isReport = sections.stacks.contains { $0.head != nil }
        return isReport && sections.images.isEmpty ? [.noImageList] : []
    }

    /// Adds the images that the frames of a stack state. Without an image list, a load address or an
    /// identity in a frame applies to all frames of the image.
    private func addImages(
        of stack: CrashTextSections.Stack, to images: inout [String: ListedImage]
    ) {
        for line in stack.lines {
            guard let frame = FrameLine(lines.content(line)), let stated = frame.statedImage,
                let base = stated.base
            else { continue }
            if let known = images[frame.image] {
                if known.id == nil, known.base == base { images[frame.image] = stated }
            } else if images.count < context.limits.imagesPerTree {
                images[frame.image] = stated
            }
        }
    }

    private mutating func collectImages(of stack: CrashTextSections.Stack) {
        guard !statedImages.isEmpty else { return }
        stackImages = [:]
        addImages(of: stack, to: &stackImages)
    }

    /// Returns what lines of the stack, or else of others, state about an image.
    private func statedImage(_ name: String) -> ListedImage? {
        guard let own = stackImages[name] else { return statedImages[name] }
        guard own.id == nil, let all = statedImages[name], all.base == own.base else { return own }
        return all
    }

    private mutating func read(_ stack: CrashTextSections.Stack) {
        collectImages(of: stack)
        var role = StackRole.applicationBacktrace
        var number: Int?
        if case .thread(let own, _, _, _)? = stack.head { (role, number) = (.thread, own) }
        if stack.head == .lastException { role = .lastException }
        let isThrown = role != .thread || isException(stack)
        var records: [CrashTextRewriter.Record] = []
        var below = false
        for line in stack.lines {
            guard let frame = FrameLine(lines.content(line)) else { continue }
            let isReturn = isThrown || (!stacks.isAtStart && !below)
            guard
                let physical = stacks.append(
                    self.frame(frame, isReturnAddress: isReturn), given: frame.rest.function)
            else { break }
            records.append(.init(line: line, physical: physical))
            below = frame.isSignalTrampoline
        }
        let indices = stack.addresses.compactMap {
            stacks.append(self.frame(returnAddress: $0), given: nil)
        }
        // A list that was not read completely is not rewritten.
        if let first = indices.first, let range = stack.addressesRange, !range.isEmpty,
            indices.count == stack.addresses.count, sections.remarks.isEmpty
        {
            let names = stack.addresses.map { image(at: $0).map { images[$0.position] } }
            rewriter.add(stack.addresses, images: names, first: first, range: range)
        }
        rewriter.add(records)
        // Frames outside of a section form their own stack, like those of a thread.
        stacks.endStack(
            number: number, name: stack.label.name, queue: stack.label.queue,
            isAttributed: stack.isAttributed, mark: stack.mark,
            role: stack.head == nil ? .thread : role)
    }

    /// Whether the stack of a crashed thread is that of a thrown exception.
    private func isException(_ stack: CrashTextSections.Stack) -> Bool {
        guard let line = stack.lines.first, stack.head != nil else { return stack.head == nil }
        let function = FrameLine(lines.content(line))?.rest.function
        return stack.isAttributed && function?.name == "__exceptionPreprocess"
    }

    private func image(at address: UInt64) -> (position: Int, offset: ImageOffset)? {
        table.image(at: RuntimeAddress(address))
    }

    private func frame(returnAddress address: UInt64) -> CallFrame {
        guard let (position, offset) = image(at: address) else {
            return CallFrame(
                image: nil, imageName: nil, site: nil, address: RuntimeAddress(address))
        }
        let image = images[position]
        return frame(
            in: image, named: image.name, at: offset, address: address, isReturnAddress: true)
    }

    private func frame(_ line: FrameLine, isReturnAddress: Bool) -> CallFrame {
        if let (id, offset) = line.rest.identity {
            return frame(
                in: ListedImage(id: id), named: line.image, at: ImageOffset(offset),
                address: line.address, isReturnAddress: isReturnAddress)
        }
        if let (position, offset) = image(at: line.address) {
            return frame(
                in: images[position],
                named: line.isNameless || line.isNameCut
                    ? images[position].name ?? line.image : line.image,
                at: offset, address: line.address, isReturnAddress: isReturnAddress)
        }
        let listed = unplacedImages[line.image]
        let offset = offset(of: line)
        guard let offset else {
            return CallFrame(
                image: nil, imageName: line.isNameless ? nil : line.image, site: nil,
                address: RuntimeAddress(line.address))
        }
        return frame(
            in: listed ?? statedImage(line.image) ?? ListedImage(), named: line.image, at: offset,
            address: line.address, isReturnAddress: isReturnAddress)
    }

    /// Returns the offset in an image that the report does not list.
    private func offset(of line: FrameLine) -> ImageOffset? {
        if line.isNameless { return nil }
        if let base = statedImage(line.image)?.base?.rawValue, line.address >= base {
            return ImageOffset(line.address - base)
        }
        // `Orchard + 15040` in an image without symbols.
        guard let function = line.rest.function, function.name == line.image,
            let distance = function.distance, distance <= line.address
        else { return nil }
        return ImageOffset(distance)
    }

    private func frame(
        in image: ListedImage, named name: String?, at offset: ImageOffset, address: UInt64,
        isReturnAddress: Bool
    ) -> CallFrame {
        CallFrame(
            in: image, named: name, at: offset, address: address,
            isReturnAddress: isReturnAddress, on: architecture)
    }
}

extension [ListedImage] {
    /// The first image of each name that has no load address.
    fileprivate var unplacedByName: [String: ListedImage] {
        let unplaced = filter { $0.base == nil }
        let named = unplaced.compactMap { image in image.name.map { ($0, image) } }
        return Dictionary(named) { first, _ in first }
    }
}

extension FrameLine {
    /// The image's load address, and its identity if the line has it.
    fileprivate var statedImage: ListedImage? {
        if let raw = rest.raw, raw.base > 0 { return ListedImage(base: RuntimeAddress(raw.base)) }
        // Without a load address, the offset equals the address.
        guard let (id, offset) = rest.identity, offset < address else { return nil }
        return ListedImage(id: id, base: RuntimeAddress(address - offset))
    }

    /// Whether the image was unknown to the writer.
    var isNameless: Bool { image == "???" || image == "(null)" }

    /// Whether the image has only the end of its name, as macOS writes long ones.
    var isNameCut: Bool { image.hasPrefix("...") }

    /// Whether a signal was delivered here, so that the next frame was interrupted rather than
    /// called.
    var isSignalTrampoline: Bool {
        rest.function?.name == "_sigtramp" || rest.function?.name == "__restore_rt"
    }
}

extension ReadingContext {
    /// Returns the identity of the main executable by its name, from a JSON header.
    ///
    /// - Parameter main: The name of the main executable, or `nil` to use the header's.
    func knownIdentities(main: String? = nil) -> [String: ImageID] {
        guard let header = IPSHeader(header), let id = header.mainImage,
            let name = main ?? header.name
        else { return [:] }
        return [name: id]
    }
}
