import CallStacks
import JSONText

/// Reads one frame object, in Apple's or OpenTelemetry's spelling.
struct FrameReader {
    let document: JSONDocument
    let limits: PayloadLimits
    private var images: Set<ImageID> = []
    /// The first known images. A tree repeats few images many times, and comparing their texts is
    /// faster than parsing them again.
    private var first: [KnownImage] = []

    private struct KnownImage {
        let uuid: JSONValueIndex
        let image: ImageID
        /// The latest name, so that equal names share one string.
        var name: String?
    }

    /// The maximum number of known images. Searching more would take longer than parsing.
    private static let firstCount = 12

    init(document: JSONDocument, limits: PayloadLimits) {
        self.document = document
        self.limits = limits
        images.reserveCapacity(Self.firstCount)
        first.reserveCapacity(Self.firstCount)
    }

    struct Output {
        var frame = ReceivedTree.Frame()
        var subFrames: JSONValueIndex?
        /// Whether the writer omitted deeper frames.
        var wasCutByWriter = false
        fileprivate var uuid: JSONValueIndex?
        fileprivate var name: JSONValueIndex?
        /// The position of its image in `first`.
        fileprivate var known: Int?
    }

    private enum Member: String, CaseIterable {
        case uuid = "binaryUUID"
        case name = "binaryName"
        case offset = "offsetIntoBinaryTextSegment"
        case offsetOfOpenTelemetry = "offsetAddress"
        case address, sampleCount, subFrames, exceededMaxDepth

        static let all = allCases
        static let names = JSONKeyList(all.map(\.rawValue))
    }

    /// Returns an empty frame for a value that is not an object, so that the others keep their
    /// positions.
    mutating func frame(_ value: JSONValueIndex) -> Output {
        var output = Output()
        var members = document.members(of: value)
        while let (name, value) = document.next(of: &members, named: Member.names) {
            read(Member.all[name], value: value, into: &output)
        }
        identify(&output)
        if let name = output.name { output.frame.name = text(of: name, known: output.known) }
        return output
    }

    private func read(_ member: Member, value: JSONValueIndex, into output: inout Output) {
        if document.kind(at: value) == .null { return }
        switch member {
        case .uuid: output.uuid = value
        case .name: read(name: value, into: &output)
        case .subFrames: output.subFrames = value
        case .offset, .offsetOfOpenTelemetry:
            output.frame.offset = integer(value)
                .unsigned(&output.frame.remarks, ifNegative: .negativeOffset)
        case .address:
            output.frame.address = integer(value).unsigned(&output.frame.remarks)
        case .sampleCount:
            output.frame.samples = integer(value).unsigned(&output.frame.remarks)
        case .exceededMaxDepth: output.wasCutByWriter = document.bool(at: value) == true
        }
    }

    private func integer(_ value: JSONValueIndex) -> ReceivedInteger {
        ReceivedInteger(at: value, in: document)
    }

    /// Stores a name until its image is known. A name that is too long is truncated at once.
    private func read(name value: JSONValueIndex, into output: inout Output) {
        output.name = nil
        output.frame.name = nil
        if document.range(of: value).count <= limits.nameLength {
            output.name = value
            return
        }
        guard let name = document.value(at: value).string else { return }
        if name.count > limits.nameLength { output.frame.remarks.add(.sizeLimit) }
        output.frame.name = String(name.prefix(limits.nameLength))
    }

    private mutating func text(of name: JSONValueIndex, known: Int?) -> String? {
        if let known, let text = first[known].name, document.isString(at: name, text) {
            return text
        }
        guard let text = document.value(at: name).string, !text.isEmpty else { return nil }
        if let known { first[known].name = text }
        return text
    }

    private mutating func identify(_ output: inout Output) {
        guard let uuid = output.uuid, document.kind(at: uuid) == .string,
            !document.range(of: uuid).isEmpty
        else {
            output.frame.remarks.add(output.uuid == nil ? .noUUID : .invalidUUID)
            return
        }
        output.known = first.indices.first { document.isWrittenAlike(first[$0].uuid, uuid) }
        if let known = output.known {
            output.frame.image = first[known].image
            return
        }
        guard let text = document.value(at: uuid).stringBytes, let image = ImageID(utf8: text),
            image.hasUUIDLength
        else {
            output.frame.remarks.add(.invalidUUID)
            return
        }
        guard images.contains(image) || images.count < limits.imagesPerTree else {
            output.frame.remarks.add(.sizeLimit)
            return
        }
        images.insert(image)
        output.frame.image = image
        guard first.count < Self.firstCount else { return }
        output.known = first.count
        first.append(KnownImage(uuid: uuid, image: image))
    }
}
