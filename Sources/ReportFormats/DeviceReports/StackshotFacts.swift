import CallStacks
import JSONText
import MetricKitPayloads

/// The parts of a stackshot that all its processes share: images, device, limits and remarks.
struct StackshotFacts {
    let range: Range<Int>
    let images: [ListedImage]
    let limits: PayloadLimits
    let remarks: [Remark]
    private let details: DiagnosticDetails

    /// - Parameter isCut: Whether the report has more processes than can be read.
    init(_ input: JSONReportInput, isCut: Bool) {
        range = input.range
        limits = input.context.limits
        let list = input.root.stackshot["binaryImages"] ?? input.root["binaryImages"]
        images =
            list?.elements.prefix(limits.imagesPerTree).map(ListedImage.init(stackshot:)) ?? []
        let isCut = isCut || list?.hasElements(beyond: images.count) == true
        remarks = [input.damage, list == nil ? .noImageList : nil, isCut ? .sizeLimit : nil]
            .compactMap { $0 }
        details = DiagnosticDetails(device: input)
    }

    var architecture: Architecture? { details.architecture.flatMap { Architecture(name: $0) } }

    func details(ofProcess name: String?, label: String) -> DiagnosticDetails {
        var details = details
        details.processName = name
        details.fields[.process] = label
        return details
    }
}

extension ListedImage {
    /// Reads an element of `binaryImages`: a UUID, a load address, and the letter of its origin.
    fileprivate init(stackshot value: JSONValue) {
        let parts = Array(value.elements.prefix(2))
        self.init(
            id: parts.first?.string.flatMap { ImageID($0) },
            base: value.isWhole && parts.count > 1
                ? UInt64(lenient: parts[1]).map { RuntimeAddress($0) } : nil)
    }
}
