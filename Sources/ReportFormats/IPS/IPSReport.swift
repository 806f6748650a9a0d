import CallStacks
package import JSONText
import MetricKitPayloads

/// Apple's reports in JSON (`.ips`): a body, which may be truncated.
package enum IPSReport: JSONReportFormat {
    package static func fits(_ root: JSONValue) -> Bool {
        guard root.kind == .object else { return false }
        if root["usedImages"]?.kind == .array { return true }
        return root["threads"]?.kind == .array
            && (root["exception"] != nil || root["faultingThread"] != nil)
    }

    /// Adds the content of a header whose body is missing.
    package static func read(header: IPSHeader, into file: inout CrashFile) {
        if let reason = header.bugType?.unreadReason {
            file.addUnread(reason, at: header.root.range)
            return
        }
        let input = JSONReportInput(
            document: header.root.document, root: header.root, range: header.root.range,
            context: ReadingContext(header: header.root))
        read(input, into: &file, damage: .jsonTruncated)
    }

    /// Whether a truncated value is the beginning of a body without any stack: it follows a header,
    /// or has the keys that bodies begin with.
    package static func isBeginning(_ input: JSONReportInput) -> Bool {
        guard input.damage == .jsonTruncated, input.root.kind == .object else { return false }
        if let header = IPSHeader(input.context.header) {
            return header.bugType?.unreadReason == nil
        }
        return firstKeys.filter { input.root[$0] != nil }.count > 1
    }

    /// Keys that precede the stacks in bodies and are rare in other JSON.
    private static let firstKeys = [
        "procRole", "procName", "procPath", "procLaunch", "captureTime", "coalitionName",
        "crashReporterKey", "modelCode", "bundleInfo", "termination",
    ]

    package static func read(_ input: JSONReportInput, into file: inout CrashFile) {
        read(input, into: &file, damage: input.damage)
    }

    private static func read(
        _ input: JSONReportInput, into file: inout CrashFile, damage: Remark?
    ) {
        let bugType =
            BugType(input.root["bug_type"]) ?? IPSHeader(input.context.header)?.bugType
        let parser = IPSParser(input)
        var details = IPSDetails(input).details
        details.registers = parser.registers
        var remarks = [damage].compactMap { $0 }
        if !input.root.listsImages { remarks.append(.noImageList) }
        var diagnostic = Diagnostic(
            kind: bugType?.kind ?? .crash, details: details, tree: parser.tree, remarks: remarks)
        diagnostic.images = parser.images
        file.reports.append(
            CrashReport(
                .ips, range: input.range, label: bugType?.label, content: .resolved(diagnostic),
                rewriter: IPSRewriter(input, records: parser.records, texts: parser.texts)))
    }
}

/// Reads the stacks of a body.
struct IPSParser {
    private(set) var images: [ListedImage] = []
    private(set) var records: [IPSRewriter.Record] = []
    private(set) var texts: [IPSRewriter.Text] = []
    /// The registers of the first thread that the report is about.
    private(set) var registers: Registers?
    private var stacks: StackCollector
    private let context: ReadingContext
    private let table: ImageAddressMap
    private let architecture: Architecture?

    init(_ input: JSONReportInput) {
        context = input.context
        stacks = StackCollector(limits: input.context.limits)
        let header = IPSHeader(input.context.header)
        let list = input.root["usedImages"]
        if let list {
            let values = list.elements.prefix(input.context.limits.imagesPerTree)
            images = values.map(ListedImage.init(used:))
            if list.hasElements(beyond: images.count) { stacks.record(.sizeLimit) }
            images.identify(by: input.context.knownIdentities())
        }
        table = ImageAddressMap(images)
        architecture = input.root["cpuType"]?.string.flatMap(Architecture.init(reported:))
        readThreads(input.root)
        readException(input.root["lastExceptionBacktrace"])
        if let texts = input.root["asiBacktraces"] {
            for text in texts.elements.prefix(Self.textsLimit) { readText(text) }
            if texts.hasElements(beyond: Self.textsLimit) { stacks.record(.frameLimit) }
        }
        // The main executable is the only image known, though frames need not be in it.
        if !input.root.listsImages, let header, let id = header.mainImage {
            images = [ListedImage(id: id, name: header.name)]
        }
    }

    private static let textsLimit = 100

    /// The stacks. If the report has threads, at least one of them is attributed.
    var tree: CallStackTree { stacks.tree }

    private mutating func readThreads(_ root: JSONValue) {
        guard let threads = root["threads"] else { return }
        var attributed = threads.elements.enumerated().first { $0.element.isTriggered }?.offset
        attributed = attributed ?? root["faultingThread"].flatMap(Int.init(lenient:))
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
        for value in list.elements where value.isIPSFrame && value.isWhole {
            let isReturn = isThrown || (!stacks.isAtStart && !below)
            let given = ReportedFunction(ipsFrame: value)
            guard
                let physical = stacks.append(
                    frame(value, isReturnAddress: isReturn), given: given,
                    isInlined: value.isInlinedFrame)
            else { return }
            records.append(.init(value: value, physical: physical))
            below = given?.name == "_sigtramp"
        }
    }

    private func frame(_ value: JSONValue, isReturnAddress: Bool) -> CallFrame {
        let position = value["imageIndex"].flatMap(Int.init(lenient:))
        let listed = position.flatMap { images.indices.contains($0) ? images[$0] : nil }
        let image = listed ?? ListedImage()
        guard let offset = value["imageOffset"].flatMap(UInt64.init(lenient:)) else {
            return frame(in: image, offset: nil, address: nil, isReturnAddress: isReturnAddress)
        }
        if listed?.isSentinel == true {
            return frame(at: RuntimeAddress(offset), isReturnAddress: isReturnAddress)
        }
        return frame(
            in: image, offset: ImageOffset(offset),
            address: image.base.map { RuntimeAddress($0.rawValue &+ offset) },
            isReturnAddress: isReturnAddress)
    }

    private func frame(at address: RuntimeAddress, isReturnAddress: Bool) -> CallFrame {
        guard let found = table.image(at: address) else {
            return CallFrame(image: nil, imageName: nil, site: nil, address: address)
        }
        return frame(
            in: images[found.position], offset: found.offset, address: address,
            isReturnAddress: isReturnAddress)
    }

    /// - Parameter offset: `nil` if the report states none, or no valid one.
    private func frame(
        in image: ListedImage, offset: ImageOffset?, address: RuntimeAddress?,
        isReturnAddress: Bool
    ) -> CallFrame {
        let site = offset.map {
            CallSite($0, in: image, isReturnAddress: isReturnAddress, on: architecture)
        }
        return CallFrame(in: image, at: site, address: address)
    }

    /// Reads a backtrace in lines of text.
    private mutating func readText(_ value: JSONValue) {
        guard value.isWhole, let text = value.stringBytes else { return }
        let report = CrashTextReport(
            backtrace: TextLines(Array(text)), images: images, context: context, stacks: stacks)
        guard report.stacks.tree.stacks.count > stacks.tree.stacks.count else { return }
        stacks = report.stacks
        texts.append(.init(value: value, rewriter: report.rewriter))
    }
}

extension ListedImage {
    /// Reads an element of `usedImages`. A truncated one is listed without its missing values and
    /// its load address, whose last number may lack digits.
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

    /// Whether the entry is not an image: frames that refer to it have an address instead of an
    /// offset.
    fileprivate var isSentinel: Bool {
        id == nil && name == nil && architecture == nil
            && (base?.rawValue ?? 0) == 0 && (size ?? 0) == 0
    }
}

extension ReportedFunction {
    /// Reads a frame of an `.ips` report.
    init?(ipsFrame value: JSONValue) {
        guard let name = value["symbol"]?.nonEmpty, !Self.placeholders.contains(name)
        else { return nil }
        self.init(
            name: name, distance: value["symbolLocation"].flatMap(UInt64.init(lenient:)),
            file: value["sourceFile"]?.nonEmpty.map { SourceFile(given: $0) },
            line: value["sourceLine"].flatMap(UInt64.init(lenient:)).map {
                UInt32(clamping: $0)
            } ?? 0,
            isInlined: value.isInlinedFrame)
    }
}

extension JSONValue {
    /// Whether an element of a list of frames is a frame, even if it has no valid offset.
    fileprivate var isIPSFrame: Bool { self["imageOffset"] != nil || self["imageIndex"] != nil }

    /// Whether a body lists images and is not truncated before the first one.
    fileprivate var listsImages: Bool {
        guard let list = self["usedImages"], list.kind == .array else { return false }
        return list.isWhole || list.elements.contains { $0["uuid"] != nil }
    }

    fileprivate var isTriggered: Bool { self["triggered"]?.bool == true }

    /// Whether the value is `true`, `"true"` or `1`.
    var isInlinedFrame: Bool {
        guard let value = self["inline"] else { return false }
        return value.bool == true || value.string == "true" || value.unsigned == 1
    }

    func hasElements(beyond count: Int) -> Bool {
        elements.dropFirst(count).contains { _ in true }
    }

    /// The string, or `nil` if it is empty.
    var nonEmpty: String? { string.flatMap { $0.isEmpty ? nil : $0 } }

    fileprivate var lastComponent: String? {
        string?.split(separator: "/").last.map(String.init)
    }
}

extension Int {
    /// Reads an index, or a string with one.
    fileprivate init?(lenient value: JSONValue) {
        guard let number = UInt64(lenient: value) else { return nil }
        self.init(exactly: number)
    }
}

extension UInt64 {
    /// Reads a number, or a string with a decimal or `0x` number.
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
