import CallStacks
import JSONText
import MetricKitPayloads

/// A backtrace in JSON as a diagnostic, with the positions of its frames.
struct SwiftJSONModel {
    private var tree = CallStackTree(form: .threads)
    private var written: [SwiftJSONRewriter.Frame] = []
    private var details = DiagnosticDetails()
    private var remarks: [Remark] = []
    private var images: [ListedImage] = []
    private var hasDescriptions = false
    private var hasSymbols = false

    init(_ root: JSONValue, damage: Remark?, _ preamble: SwiftPreamble, limits: PayloadLimits) {
        details.osVersion = root["platform"]?.string
        details.take(Self.completed(preamble, root: root))
        details.architecture = root["architecture"]?.string
        details.timestamp = root["timestamp"]?.string
        tree.distancesEndAtLookupOffset = true
        if let damage { remarks.append(damage) }
        if let list = root["images"] {
            add(images: list, limits: limits)
        } else {
            remarks.append(.noImageList)
        }
        let maker = SwiftFrameBuilder(images: images)
        if let threads = root["threads"] {
            for thread in threads.elements {
                guard tree.stacks.count < limits.stacksPerTree else {
                    remarks.add(.frameLimit)
                    break
                }
                add(thread, maker: maker, limits: limits)
            }
        }
        if root["omittedThreads"] == nil { details.processName = tree.stacks.first?.name }
    }

    func report(range: Range<Int>, text: SwiftJSONRewriter.Text) -> CrashReport {
        var diagnostic = Diagnostic(kind: .crash, details: details, tree: tree, remarks: remarks)
        diagnostic.images = images
        return CrashReport(
            .swiftJSON, range: range, content: .resolved(diagnostic),
            rewriter: SwiftJSONRewriter(
                text: text, frames: written, hasDescriptions: hasDescriptions || !hasSymbols))
    }

    private static func completed(
        _ preamble: SwiftPreamble, root: JSONValue
    ) -> SwiftPreamble {
        var preamble = preamble
        guard let description = root["description"]?.string else { return preamble }
        let address = root["faultAddress"]?.string
        preamble.read(description: description)
        if preamble.description != nil, let address { preamble.description? += " at \(address)" }
        return preamble
    }

    private mutating func add(images list: JSONValue, limits: PayloadLimits) {
        for image in list.elements {
            guard images.count < limits.imagesPerTree else { return remarks.add(.sizeLimit) }
            images.append(ListedImage(swiftObject: image))
        }
    }

    private mutating func add(
        _ thread: JSONValue, maker: SwiftFrameBuilder, limits: PayloadLimits
    ) {
        let start = tree.frames.count
        var run: [JSONValue] = []
        for object in (thread["frames"] ?? thread).elements {
            guard tree.frames.count < limits.framesPerTree else {
                remarks.add(.frameLimit)
                break
            }
            guard object["address"] != nil else {
                if object["kind"]?.string == "omittedFrames", tree.frames.count > start {
                    tree.frames[tree.frames.count - 1].remarks.append(.framesOmitted)
                }
                continue
            }
            if let last = run.last, last.address != object.address {
                add(run, maker: maker, start: start)
                run = []
            }
            run.append(object)
            if object["inlined"]?.bool != true {
                add(run, maker: maker, start: start)
                run = []
            }
        }
        add(run, maker: maker, start: start)
        tree.stacks.append(
            CallStack(
                index: tree.stacks.count, name: thread["name"]?.string,
                isAttributed: thread["crashed"]?.bool == true, frames: start..<tree.frames.count))
    }

    /// Adds the objects of one physical frame, inlined calls first.
    private mutating func add(_ objects: [JSONValue], maker: SwiftFrameBuilder, start: Int) {
        guard let first = objects.first, let last = objects.last,
            let text = last.address, let address = UInt64(addressText: text)
        else { return }
        let kind = last["kind"]?.string ?? ""
        let index = tree.frames.count
        let site = SwiftRow.Site(kind)
        tree.frames.append(
            maker.frame(
                at: address, site, imageName: last["image"]?.string,
                parent: index > start ? index - 1 : nil))
        let given = objects.compactMap(ReportedFunction.init(swiftObject:))
        if !given.isEmpty {
            tree.reportedFunctions[index] = given
            hasSymbols = true
            if objects.contains(where: { $0["description"] != nil }) { hasDescriptions = true }
        }
        written.append(
            SwiftJSONRewriter.Frame(
                index: index, range: first.range.lowerBound..<last.range.upperBound, kind: kind,
                address: text, image: tree.frames[index].imageName))
    }

}

extension SwiftRow.Site {
    init(_ kind: String) {
        switch kind {
        case "returnAddress": self = .returnAddress
        case "asyncResumePoint": self = .resumePoint
        default: self = .programCounter
        }
    }
}

extension UInt64 {
    /// Reads an address such as `0x00005621f26ab71a`.
    fileprivate init?(addressText text: String) { self.init(number: Array(text.utf8)[...]) }
}

extension JSONValue {
    /// The address of a frame, which other writers than the runtime write as a number.
    fileprivate var address: String? {
        guard let value = self["address"] else { return nil }
        return value.string ?? value.unsigned.map { "0x" + String($0, radix: 16) }
    }
}

extension ListedImage {
    /// Reads an image of a backtrace in JSON.
    init(swiftObject object: JSONValue) {
        let base = object["baseAddress"]?.string.flatMap(UInt64.init(addressText:))
        let end = object["endOfText"]?.string.flatMap(UInt64.init(addressText:))
        let size: UInt64? = if let base, let end, end >= base { end - base } else { nil }
        self.init(
            id: object["buildId"]?.string.flatMap { ImageID($0) }, name: object["name"]?.string,
            path: object["path"]?.string, base: base.map { RuntimeAddress($0) }, size: size)
    }
}

extension ReportedFunction {
    /// Reads a frame's function in a backtrace in JSON, or returns `nil` if it has none.
    init?(swiftObject object: JSONValue) {
        guard let name = object["symbol"]?.string, name != SwiftRowText.unknownName
        else { return nil }
        self.init(
            name: name, distance: object["offset"]?.unsigned,
            isInlined: object["inlined"]?.bool == true)
        guard let location = object["sourceLocation"], let path = location["file"]?.string,
            !path.hasSuffix(SourceFile.compilerGeneratedPath)
        else { return }
        file = SourceFile(given: path)
        line = UInt32(clamping: location["line"]?.unsigned ?? 0)
        column = UInt32(clamping: location["column"]?.unsigned ?? 0)
    }
}
