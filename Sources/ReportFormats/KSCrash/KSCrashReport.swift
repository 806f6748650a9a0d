import CallStacks
package import JSONText
import MetricKitPayloads
import StackRendering

/// KSCrash reports in JSON. If the reporter itself crashed, its report contains the one that it was
/// writing, and both are read.
package enum KSCrashReport: JSONReportFormat {
    package static func fits(_ root: JSONValue) -> Bool {
        isReport(root) || root["recrash_report"].map(isReport) == true
    }

    package static func read(_ input: JSONReportInput, into file: inout CrashFile) {
        let images = input.root["binary_images"]
        add(input.root, images: images, input: input, label: nil, to: &file)
        if let inner = input.root["recrash_report"] {
            let images = inner["binary_images"] ?? images
            add(inner, images: images, input: input, label: "recrash_report", to: &file)
        }
    }

    private static func isReport(_ root: JSONValue) -> Bool {
        guard root["crash"]?.kind == .object else { return isBeginning(root) }
        return ["report", "binary_images", "system"].contains { root[$0] != nil }
    }

    /// Whether a value is a report truncated before its stacks.
    private static func isBeginning(_ root: JSONValue) -> Bool {
        guard !root.isWhole else { return false }
        let image = root["binary_images"]?.elements.first { _ in true }
        return image?["image_addr"] != nil
            || (root["report"]?["process_name"] != nil && root["report"]?["id"] != nil)
            || root["system"]?["CFBundleIdentifier"] != nil
    }

    private static func add(
        _ root: JSONValue, images: JSONValue?, input: JSONReportInput, label: String?,
        to file: inout CrashFile
    ) {
        guard isReport(root) else { return }
        let parser = KSCrashParser(root, images, input.context)
        var remarks = [input.damage].compactMap { $0 }
        if images?.kind != .array, input.damage != nil || !parser.tree.frames.isEmpty {
            remarks.append(.noImageList)
        }
        var details = KSCrashDetails(root: root).details
        details.sections = parser.omissions.sections
        var diagnostic = Diagnostic(
            kind: parser.kind, details: details, tree: parser.tree, remarks: remarks)
        diagnostic.images = parser.images
        let rewriter = KSCrashRewriter(
            bytes: input.document.bytes, records: parser.records)
        file.reports.append(
            CrashReport(
                .ksCrash, range: root.range, label: label, content: .resolved(diagnostic),
                rewriter: rewriter))
    }
}

/// Reads the threads of a report.
private struct KSCrashParser {
    private(set) var images: [ListedImage] = []
    private(set) var records: [KSCrashRewriter.Record] = []
    /// The numbers of frames that the reporter left out of each thread.
    private(set) var omissions = UnparsedCrashLines()
    private let root: JSONValue
    private let table: ImageAddressMap
    /// The positions of the images, by load address.
    private var positions: [UInt64: KSCrashImagePosition] = [:]
    private var stacks: StackCollector
    private let architecture: Architecture?

    /// - Parameter list: The images, which a nested report takes from the outer one.
    init(_ root: JSONValue, _ list: JSONValue?, _ context: ReadingContext) {
        let limits = context.limits
        self.root = root
        stacks = StackCollector(limits: limits)
        if let list {
            images = list.elements.prefix(limits.imagesPerTree).map(ListedImage.init(ksCrash:))
            if list.hasElements(beyond: images.count) { stacks.record(.sizeLimit) }
            images.identify(by: context.knownIdentities())
        }
        table = ImageAddressMap(images)
        architecture =
            root["system"]?["cpu_arch"]?.string.flatMap(Architecture.init(reported:))
        for (position, image) in images.enumerated() {
            guard let base = image.base?.rawValue else { continue }
            let added = KSCrashImagePosition(of: image, at: position)
            positions[base, default: added].add(added)
        }
        if let threads = root["crash"]?["threads"] {
            for thread in threads.elements where thread.kind == .object {
                read(thread, isCrashed: thread["crashed"]?.bool == true)
            }
        } else if let thread = root["crash"]?["crashed_thread"] {
            read(thread, isCrashed: true)
        }
    }

    var tree: CallStackTree { stacks.tree }

    var kind: DiagnosticKind {
        errorType == "memory_termination" ? .memoryException : .crash
    }

    private var errorType: String? { root["crash"]?["error"]?["type"]?.string }

    private mutating func read(_ thread: JSONValue, isCrashed: Bool) {
        let thrown = ["nsexception", "cpp_exception", "user"].contains(errorType)
        let backtrace = thread["backtrace"]
        if let contents = backtrace?["contents"] {
            readFrames(contents, isThrown: isCrashed && thrown)
        }
        if let skipped = backtrace?["skipped"]?.unsigned, skipped > 0 {
            stacks.recordOnLastFrame(.framesOmitted)
            addOmission(of: skipped, in: thread)
        }
        stacks.endStack(
            number: thread["index"]?.unsigned.flatMap { Int(exactly: $0) },
            name: thread["name"]?.nonEmpty, queue: thread["dispatch_queue"]?.nonEmpty,
            isAttributed: isCrashed)
    }

    private mutating func addOmission(of count: UInt64, in thread: JSONValue) {
        let number = thread["index"]?.unsigned.map { "thread \($0)" } ?? "a thread"
        if omissions.sections.isEmpty { _ = omissions.add("Omitted Frames:") }
        if !omissions.add("\(number): \(counted(count, "frame"))") { stacks.record(.sizeLimit) }
    }

    private mutating func readFrames(_ contents: JSONValue, isThrown: Bool) {
        var below = false
        var isThrown = isThrown
        for value in contents.elements where value.isWhole {
            guard value["instruction_addr"] != nil || value["object_addr"] != nil else { continue }
            let address = value["instruction_addr"].flatMap(UInt64.init(lenient:))
            let given = [ReportedFunction](ksCrashFrame: value, at: address)
            if stacks.isAtStart, given.last?.name == "__exceptionPreprocess" { isThrown = true }
            let isReturn = isThrown || (!stacks.isAtStart && !below)
            guard
                let physical = stacks.append(
                    frame(value, address: address, isReturnAddress: isReturn), functions: given)
            else { return }
            records.append(.init(value: value, physical: physical))
            below = given.last?.name == "_sigtramp"
        }
    }

    private func frame(
        _ value: JSONValue, address: UInt64?, isReturnAddress: Bool
    ) -> CallFrame {
        let listed = listedPosition(of: value)
        guard let address else { return frame(value, in: listed.map { images[$0] }) }
        var found = table.image(at: RuntimeAddress(address))
        if let listed, let offset = images[listed].offset(of: address) {
            found = (listed, offset)
        }
        guard let (position, offset) = found else {
            return CallFrame(
                image: nil, imageName: value["object_name"]?.nonEmpty, site: nil,
                address: RuntimeAddress(address))
        }
        let image = images[position]
        return CallFrame(
            in: image,
            at: CallSite(offset, in: image, isReturnAddress: isReturnAddress, on: architecture),
            address: RuntimeAddress(address))
    }

    /// Returns the position of the image that a frame names.
    private func listedPosition(of frame: JSONValue) -> Int? {
        let base = frame["object_addr"].flatMap(UInt64.init(lenient:))
        let name = frame["object_name"]?.nonEmpty?.split(separator: "/").last
        return base.flatMap { positions[$0] }?.position(ofImageNamed: name.map(String.init))
    }

    /// Returns a frame without a valid address.
    private func frame(_ value: JSONValue, in image: ListedImage?) -> CallFrame {
        CallFrame(
            image: image?.id, imageName: image?.name ?? value["object_name"]?.nonEmpty, site: nil,
            loadAddress: image?.base)
    }
}

extension ListedImage {
    /// Returns the offset of an address in the image. KSCrash may name an image of the shared cache
    /// for addresses far past its end, where other images are.
    fileprivate func offset(of address: UInt64) -> ImageOffset? {
        guard let base = base?.rawValue, base <= address else { return nil }
        let offset = address - base
        if let size, size > 0, offset >= size { return nil }
        return ImageOffset(offset)
    }

    /// Reads an element of `binary_images`, whose name is a path. A truncated one has no load
    /// address, because its last number may lack digits.
    fileprivate init(ksCrash value: JSONValue) {
        let isPlaced = value.isWhole
        let path = value["name"]?.nonEmpty
        let type = value["cpu_type"]?.unsigned.map { UInt32(truncatingIfNeeded: $0) }
        let subtype = value["cpu_subtype"]?.unsigned.map { UInt32(truncatingIfNeeded: $0) }
        self.init(
            id: value["uuid"]?.string.flatMap { ImageID($0) },
            name: path?.split(separator: "/").last.map(String.init), path: path,
            architecture: type.map { Architecture(cpuType: $0, cpuSubtype: subtype ?? 0).name },
            base: isPlaced
                ? value["image_addr"].flatMap(UInt64.init(lenient:)).map { RuntimeAddress($0) }
                : nil,
            size: isPlaced ? value["image_size"].flatMap(UInt64.init(lenient:)) : nil)
    }
}

extension [ReportedFunction] {
    /// Reads a frame's functions, innermost first: its own symbol, and those from an earlier
    /// symbolication.
    fileprivate init(ksCrashFrame value: JSONValue, at address: UInt64?) {
        guard let name = value["symbol_name"]?.nonEmpty,
            !ReportedFunction.placeholders.contains(name)
        else {
            self = []
            return
        }
        let start = value["symbol_addr"].flatMap(UInt64.init(lenient:))
        let distance = address.flatMap { address in
            start.flatMap { $0 > 0 && $0 <= address ? address - $0 : nil }
        }
        let found = value["symbolist"]
        self = []
        if let inlined = found?["inlined"] {
            self = inlined.elements.prefix(1_000).map {
                ReportedFunction(name: $0["symbol"]?.string ?? "", at: $0, isInlined: true)
            }
        }
        var function = ReportedFunction(name: name, at: found, isInlined: false)
        function.distance = distance
        append(function)
    }
}

extension ReportedFunction {
    /// - Parameter location: An object with file, line and column.
    fileprivate init(name: String, at location: JSONValue?, isInlined: Bool) {
        self.init(
            name: name, file: location?["file"]?.nonEmpty.map { SourceFile(given: $0) },
            line: location?["line"]?.unsigned.map { UInt32(clamping: $0) } ?? 0,
            column: location?["column"]?.unsigned.map { UInt32(clamping: $0) } ?? 0,
            isInlined: isInlined)
    }
}
