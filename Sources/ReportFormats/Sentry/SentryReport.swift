import CallStacks
package import JSONText
import MetricKitPayloads

/// Sentry events in JSON that list native images.
///
/// Frames are listed from the outermost one on. Inlined calls follow the function that contains
/// them and have its address. Addresses are absolute.
package enum SentryReport: JSONReportFormat {
    package static func fits(_ root: JSONValue) -> Bool {
        let event = SentryEvent(root)
        return event.images != nil
            && ["exception", "threads", "stacktrace"].contains { event[$0] != nil }
    }

    package static func read(_ input: JSONReportInput, into file: inout CrashFile) {
        let event = SentryEvent(input.root)
        let parser = SentryParser(event, input.context.limits)
        var diagnostic = Diagnostic(
            kind: .crash, details: SentryParser.details(of: event), tree: parser.tree,
            remarks: [input.damage].compactMap(\.self))
        diagnostic.images = parser.images
        file.reports.append(
            CrashReport(
                .sentryEvent, range: input.root.range, content: .resolved(diagnostic),
                rewriter: SentryRewriter(
                    bytes: input.document.bytes, records: parser.records, keys: event.keys)))
    }
}

/// Parses the stacks of an event.
struct SentryParser {
    private(set) var images: [ListedImage] = []
    private(set) var records: [SentryRewriter.Record] = []
    private let keys: SentryKeys
    private let table: ImageAddressMap
    private var stacks: StackCollector

    var tree: CallStackTree { stacks.tree }

    init(_ event: SentryEvent, _ limits: PayloadLimits) {
        keys = event.keys
        stacks = StackCollector(limits: limits)
        if let list = event.images {
            images = list.elements.prefix(limits.imagesPerTree).map(ListedImage.init(sentry:))
            if list.hasElements(beyond: images.count) { stacks.record(.sizeLimit) }
        }
        table = ImageAddressMap(images)
        let threads = Self.values(event["threads"])
        var threadsByID: [UInt64: JSONValue] = [:]
        for thread in threads {
            guard let id = Self.number(of: thread, "id"), threadsByID[id] == nil else { continue }
            threadsByID[id] = thread
        }
        // The last exception is the one that was thrown last. Causes may have no stack.
        let exceptions = Self.values(event["exception"]).filter { stack(of: $0) != nil }
        for (number, exception) in zip(1..., exceptions) {
            let thread = Self.number(of: exception, keys.threadID)
            let own = thread.flatMap { threadsByID[$0] }
            read(
                exception, name: own?["name"]?.nonEmpty,
                isAttributed: number == exceptions.count)
        }
        let hasException = !stacks.tree.stacks.isEmpty
        for thread in threads {
            let isCrashed = thread["crashed"]?.bool == true
            // The stack of a crashed thread may only be present in its exception.
            read(
                thread, name: thread["name"]?.nonEmpty, isAttributed: isCrashed && !hasException)
        }
        if let stack = event["stacktrace"] {
            read(stack, of: event.root, name: nil, isAttributed: !hasException)
        }
    }

    /// Returns the elements of `{"values": [...]}`, or of the list itself.
    private static func values(_ value: JSONValue?) -> [JSONValue] {
        guard let value else { return [] }
        let list = value["values"] ?? value
        return list.kind == .array ? list.elements.prefix(10_000).map { $0 } : []
    }

    /// Returns the stack of an exception or thread, or `nil` if it has none.
    private func stack(of holder: JSONValue) -> JSONValue? {
        ["stacktrace", keys.rawStack].lazy.compactMap { holder[$0] }
            .first { $0["frames"]?.kind == .array }
    }

    private static func number(of holder: JSONValue, _ key: String) -> UInt64? {
        holder[key].flatMap(UInt64.init(lenient:))
    }

    private mutating func read(_ holder: JSONValue, name: String?, isAttributed: Bool) {
        guard let stack = stack(of: holder) else { return }
        read(stack, of: holder, name: name, isAttributed: isAttributed)
    }

    private mutating func read(
        _ stack: JSONValue, of holder: JSONValue, name: String?, isAttributed: Bool
    ) {
        guard let list = stack["frames"], list.kind == .array else { return }
        let adjustment = stack["instruction_addr_adjustment"]?.string
        let isThrown = holder["mechanism"]?["type"]?.string == "nsexception" || adjustment == "all"
        for group in groups(list.elements.filter(\.isWhole)).reversed() {
            add(
                group, isReturnAddress: isThrown || !stacks.isAtStart,
                isAdjusted: adjustment == "none")
        }
        let number = Self.number(of: holder, "id") ?? Self.number(of: holder, keys.threadID)
        stacks.endStack(
            number: number.flatMap { Int(exactly: $0) }, name: name, isAttributed: isAttributed)
    }

    /// Groups frames into physical frames. Inlined calls follow the function that contains them:
    /// those that Symbolist wrote are marked, and Sentry's have the same address and another
    /// function name.
    private func groups(_ frames: [JSONValue]) -> [[JSONValue]] {
        var groups: [[JSONValue]] = []
        // The calls of the last group.
        var calls: Set<Call> = []
        for frame in frames {
            let call = Call(
                function: frame["function"]?.string, line: frame[keys.line]?.unsigned)
            if let owner = groups.last?.first, let address = Self.number(of: owner, keys.address),
                Self.number(of: frame, keys.address) == address,
                SentryRewriter.isInserted(frame)
                    || Self.isNamed(owner) && Self.isNamed(frame) && !calls.contains(call)
            {
                groups[groups.count - 1].append(frame)
                calls.insert(call)
            } else {
                groups.append([frame])
                calls = [call]
            }
        }
        return groups
    }

    private struct Call: Hashable {
        let function: String?
        let line: UInt64?
    }

    private static func isNamed(_ frame: JSONValue) -> Bool {
        frame["function"]?.nonEmpty != nil && frame["filename"]?.nonEmpty != nil
    }

    private mutating func add(
        _ group: [JSONValue], isReturnAddress: Bool, isAdjusted: Bool
    ) {
        guard let owner = group.first else { return }
        var functions = group.reversed().compactMap { ReportedFunction(sentry: $0, keys) }
        for index in functions.indices { functions[index].isInlined = index + 1 < functions.count }
        let frame = frame(owner, isReturnAddress: isReturnAddress, isAdjusted: isAdjusted)
        if let physical = stacks.append(frame, functions: functions) {
            records.append(SentryRewriter.Record(frames: group, physical: physical))
        }
    }

    private func frame(
        _ value: JSONValue, isReturnAddress: Bool, isAdjusted: Bool
    ) -> CallFrame {
        let name = value["package"]?.nonEmpty.map { String($0.split(separator: "/").last ?? "") }
        guard let (position, offset, address) = location(of: value) else {
            return CallFrame(
                image: nil, imageName: name, site: nil,
                address: Self.number(of: value, keys.address).map { RuntimeAddress($0) })
        }
        let image = images[position]
        let site =
            isAdjusted
            ? .adjusted(offset)
            : CallSite(offset, in: image, isReturnAddress: isReturnAddress, on: nil)
        return CallFrame(in: image, named: name, at: site, address: address)
    }

    /// Returns the image of a frame, its offset in the image and its address.
    ///
    /// An address is an offset in the image with a number if its `addr_mode` is `rel:NUMBER`.
    private func location(
        of frame: JSONValue
    ) -> (position: Int, offset: ImageOffset, address: RuntimeAddress?)? {
        guard let value = Self.number(of: frame, keys.address) else { return nil }
        if let mode = frame[keys.addressMode]?.string, mode.hasPrefix("rel:") {
            guard let position = Int(mode.dropFirst(4)), images.indices.contains(position)
            else { return nil }
            let (address, overflows) =
                images[position].base?.rawValue.addingReportingOverflow(value) ?? (0, true)
            return (position, ImageOffset(value), overflows ? nil : RuntimeAddress(address))
        }
        let address = RuntimeAddress(value)
        return table.image(at: address).map { ($0.position, $0.offset, address) }
    }

    static func details(of event: SentryEvent) -> DiagnosticDetails {
        let root = event.root
        var details = DiagnosticDetails()
        let exception = values(event["exception"]).last
        details.exceptionName = exception?["type"]?.nonEmpty
        details.runtimeMessage = exception?["value"]?.nonEmpty
        details.timestamp = event.timestamp
        details.appVersion = event.release
        details.appBuild = root["dist"]?.nonEmpty
        let contexts = root["contexts"]
        details.osVersion = contexts?["os"]?["name"]?.nonEmpty.map { name in
            name + (contexts?["os"]?["version"]?.nonEmpty.map { " \($0)" } ?? "")
        }
        details.deviceType = contexts?["device"]?["model"]?.nonEmpty
        details.bundleIdentifier = contexts?["app"]?["app_identifier"]?.nonEmpty
        return details
    }
}

extension ListedImage {
    /// Creates an image from an element of `debug_meta.images`. For an ELF file, `debug_id` has the
    /// first 16 bytes of the build ID in another byte order, and `code_id` has all of it.
    fileprivate init(sentry image: JSONValue) {
        let path = image["code_file"]?.nonEmpty ?? image["name"]?.nonEmpty
        let isELF = image["type"]?.string == "elf"
        let id =
            isELF
            ? image["code_id"]?.nonEmpty
            : image["debug_id"]?.nonEmpty ?? image["uuid"]?.nonEmpty ?? image["code_id"]?.nonEmpty
        self.init(
            id: id.flatMap { ImageID($0) }, name: path?.split(separator: "/").last.map(String.init),
            path: path, architecture: image["arch"]?.nonEmpty,
            base: image["image_addr"].flatMap(UInt64.init(lenient:)).map { RuntimeAddress($0) },
            size: image["image_size"].flatMap(UInt64.init(lenient:)))
    }
}

extension ReportedFunction {
    fileprivate init?(sentry frame: JSONValue, _ keys: SentryKeys) {
        guard let name = frame["function"]?.nonEmpty, !Self.placeholders.contains(name)
        else { return nil }
        let path = frame[keys.path]?.nonEmpty ?? frame["filename"]?.nonEmpty
        let line = frame[keys.line]?.unsigned
        self.init(
            name: name, file: line == nil ? nil : path.map { SourceFile(given: $0) },
            line: line.map { UInt32(clamping: $0) } ?? 0,
            column: frame[keys.column]?.unsigned.map { UInt32(clamping: $0) } ?? 0)
    }
}
