import CallStacks
import JSONText
import MetricKitPayloads

/// Apple's reports in JSON (`.ips`): the body of one, or a part of a body that was cut off.
enum IPSReport: JSONReportReading {
    static func fits(_ root: JSONValue) -> Bool {
        guard root.kind == .object else { return false }
        if root["usedImages"]?.kind == .array { return true }
        return root["threads"]?.kind == .array
            && (root["exception"] != nil || root["faultingThread"] != nil)
    }

    /// Adds what the header of a report says of which the body is cut off.
    static func read(header: IPSHeader, into file: inout CrashFile) {
        if let refusal = header.bugType?.refusal {
            file.refuse(refusal, at: header.root.range)
            return
        }
        let part = JSONPart(
            document: header.root.document, root: header.root, range: header.root.range,
            context: ReadingContext(header: header.root))
        read(part, into: &file, damage: .jsonTruncated)
    }

    /// Whether a value that breaks off is the beginning of a body, although no stack of it was
    /// reached: behind a header, or told by what bodies begin with.
    static func isBeginning(_ part: JSONPart) -> Bool {
        guard part.damage == .jsonTruncated, part.root.kind == .object else { return false }
        if let header = IPSHeader(part.context.header) { return header.bugType?.refusal == nil }
        return firstKeys.filter { part.root[$0] != nil }.count > 1
    }

    /// What stands in bodies before their stacks and hardly in any other JSON.
    private static let firstKeys = [
        "procRole", "procName", "procPath", "procLaunch", "captureTime", "coalitionName",
        "crashReporterKey", "modelCode", "bundleInfo", "termination",
    ]

    static func read(_ part: JSONPart, into file: inout CrashFile) {
        read(part, into: &file, damage: part.damage)
    }

    private static func read(
        _ part: JSONPart, into file: inout CrashFile, damage: Remark?
    ) {
        let bugType =
            BugType(part.root["bug_type"]) ?? IPSHeader(part.context.header)?.bugType
        let reading = IPSReading(part)
        var details = IPSDetails(part).details
        details.registers = reading.registers
        var remarks = [damage].compactMap { $0 }
        if !part.root.listsImages { remarks.append(.noImageList) }
        var diagnostic = Diagnostic(
            kind: bugType?.kind ?? .crash, details: details, tree: reading.tree, remarks: remarks)
        diagnostic.images = reading.images
        file.reports.append(
            CrashReport(
                .ips, range: part.range, label: bugType?.label, content: .resolved(diagnostic),
                rewriting: IPSRewriting(part, records: reading.records, texts: reading.texts)))
    }
}

/// Reads the stacks of a body.
struct IPSReading {
    private(set) var images: [ReportedImage] = []
    private(set) var records: [IPSRewriting.Record] = []
    private(set) var texts: [IPSRewriting.Text] = []
    /// Those of the first thread that the report is about.
    private(set) var registers: Registers?
    private var stacks: StackCollector
    private let context: ReadingContext
    private let table: ImageTable
    private let architecture: Architecture?

    init(_ part: JSONPart) {
        context = part.context
        stacks = StackCollector(limits: part.context.limits)
        let header = IPSHeader(part.context.header)
        let list = part.root["usedImages"]
        if let list {
            let values = list.elements.prefix(part.context.limits.imagesPerTree)
            images = values.map(ReportedImage.init(used:))
            if list.hasElements(beyond: images.count) { stacks.note(.sizeLimit) }
            images.identify(by: part.context.knownIdentities())
        }
        table = ImageTable(images)
        architecture = part.root["cpuType"]?.string.flatMap(Architecture.init(reported:))
        readThreads(part.root)
        readException(part.root["lastExceptionBacktrace"])
        if let texts = part.root["asiBacktraces"] {
            for text in texts.elements.prefix(Self.textsLimit) { readText(text) }
            if texts.hasElements(beyond: Self.textsLimit) { stacks.note(.frameLimit) }
        }
        // No frame lies in it for sure, but it is the one image that is known.
        if !part.root.listsImages, let header, let id = header.mainImage {
            images = [ReportedImage(id: id, name: header.name)]
        }
    }

    private static let textsLimit = 100

    /// The stacks, of which at least one is what the report is about.
    var tree: CallStackTree { stacks.tree }

    private mutating func readThreads(_ root: JSONValue) {
        guard let threads = root["threads"] else { return }
        var attributed = threads.elements.enumerated().first { $0.element.isTriggered }?.offset
        attributed = attributed ?? root["faultingThread"]?.unsigned.flatMap { Int(exactly: $0) }
        let count = threads.elements.reduce(0) { sum, _ in sum + 1 }
        if attributed.map({ $0 >= count }) ?? true { attributed = 0 }
        for (number, thread) in threads.elements.enumerated() {
            readFrames(thread["frames"], isThrown: false)
            let isAttributed = number == attributed || thread.isTriggered
            if isAttributed, registers == nil {
                registers = thread["threadState"].flatMap(Registers.init(ipsState:))
            }
            let isTaken = stacks.endStack(
                name: thread["name"]?.nonEmpty, queue: thread["queue"]?.nonEmpty,
                isAttributed: isAttributed)
            if !isTaken { return }
        }
    }

    private mutating func readException(_ value: JSONValue?) {
        guard let value else { return }
        readFrames(value.kind == .object ? value["frames"] : value, isThrown: true)
        if stacks.depth > 0 {
            stacks.endStack(name: nil, isAttributed: false, role: .lastException)
        }
    }

    private mutating func readFrames(_ list: JSONValue?, isThrown: Bool) {
        var below = false
        guard let list else { return }
        for value in list.elements where value.kind == .object {
            guard value.isWhole, let offset = value["imageOffset"].flatMap(UInt64.init(lenient:))
            else { continue }
            let isReturn = isThrown || (!stacks.isAtStart && !below)
            let given = GivenFunction(ipsFrame: value)
            guard
                let physical = stacks.append(
                    frame(value, offset, isReturnAddress: isReturn), given: given,
                    isInlined: value.isInlinedFrame)
            else { return }
            records.append(.init(value: value, physical: physical))
            below = given?.name == "_sigtramp"
        }
    }

    private func frame(
        _ value: JSONValue, _ offset: UInt64, isReturnAddress: Bool
    ) -> CallFrame {
        guard let position = value["imageIndex"]?.unsigned.flatMap({ Int(exactly: $0) }),
            images.indices.contains(position)
        else { return frame(in: ReportedImage(), ImageOffset(offset), nil, isReturnAddress) }
        let image = images[position]
        let base = image.base?.rawValue
        if image.isSentinel {
            guard let found = table.image(at: RuntimeAddress(offset)) else {
                return CallFrame(
                    image: nil, imageName: nil, site: nil, address: RuntimeAddress(offset))
            }
            return frame(
                in: images[found.position], found.offset, RuntimeAddress(offset), isReturnAddress)
        }
        let address = base.map { RuntimeAddress($0 &+ offset) }
        return frame(in: image, ImageOffset(offset), address, isReturnAddress)
    }

    private func frame(
        in image: ReportedImage, _ offset: ImageOffset, _ address: RuntimeAddress?,
        _ isReturnAddress: Bool
    ) -> CallFrame {
        let own = image.architecture.flatMap(Architecture.init(reported:))
        return CallFrame(
            image: image.id, imageName: image.name,
            site: CallSite(offset, isReturnAddress: isReturnAddress, on: own ?? architecture),
            address: address, loadAddress: image.base,
            remarks: image.id == nil ? [.noUUID] : [])
    }

    /// A backtrace as lines of text.
    private mutating func readText(_ value: JSONValue) {
        guard value.isWhole, let text = value.stringBytes else { return }
        let report = CrashTextReport(
            backtrace: TextLines(Array(text)), images: images, context: context, stacks: stacks)
        guard report.stacks.tree.stacks.count > stacks.tree.stacks.count else { return }
        stacks = report.stacks
        texts.append(.init(value: value, rewriting: report.rewriting))
    }
}

extension ReportedImage {
    /// An element of `usedImages`. One that broke off is listed without what it lacks, and without
    /// its place in memory, because the last number of it may be cut.
    fileprivate init(used value: JSONValue) {
        let isPlaced = value.isWhole
        self.init(
            id: value["uuid"]?.string.flatMap { ImageID($0) },
            name: value["name"]?.nonEmpty ?? value["path"]?.lastComponent,
            path: value["path"]?.nonEmpty, architecture: value["arch"]?.nonEmpty,
            base: isPlaced
                ? value["base"].flatMap(UInt64.init(lenient:)).map { RuntimeAddress($0) } : nil,
            size: isPlaced ? value["size"].flatMap(UInt64.init(lenient:)) : nil,
            version: value["CFBundleShortVersionString"]?.nonEmpty)
    }

    /// Whether it stands for no image: what points at it has an address in place of an offset.
    fileprivate var isSentinel: Bool {
        id == nil && name == nil && architecture == nil
            && (base?.rawValue ?? 0) == 0 && (size ?? 0) == 0
    }
}

extension GivenFunction {
    /// What a frame of an `.ips` report says.
    init?(ipsFrame value: JSONValue) {
        guard let name = value["symbol"]?.nonEmpty, !Self.placeholders.contains(name)
        else { return nil }
        self.init(
            name: name, distance: value["symbolLocation"].flatMap(UInt64.init(lenient:)),
            file: value["sourceFile"]?.nonEmpty.map { SourceFile(given: $0) },
            line: value["sourceLine"]?.unsigned.map { UInt32(clamping: $0) } ?? 0,
            isInlined: value.isInlinedFrame)
    }
}

extension JSONValue {
    /// Whether a body has a list of images that was not cut off before its first one.
    fileprivate var listsImages: Bool {
        guard let list = self["usedImages"] else { return false }
        return list.isWhole || list.elements.contains { $0["uuid"] != nil }
    }

    fileprivate var isTriggered: Bool { self["triggered"]?.bool == true }

    /// `true`, `"true"` or `1`.
    var isInlinedFrame: Bool {
        guard let value = self["inline"] else { return false }
        return value.bool == true || value.string == "true" || value.unsigned == 1
    }

    func hasElements(beyond count: Int) -> Bool {
        elements.dropFirst(count).contains { _ in true }
    }

    /// A string that says something.
    var nonEmpty: String? { string.flatMap { $0.isEmpty ? nil : $0 } }

    fileprivate var lastComponent: String? {
        string?.split(separator: "/").last.map(String.init)
    }
}

extension UInt64 {
    /// A number, or a string with a decimal or `0x` number.
    init?(lenient value: JSONValue) {
        if let number = value.unsigned {
            self = number
        } else if let text = value.stringBytes, let number = UInt64(number: text) {
            self = number
        } else {
            return nil
        }
    }
}
