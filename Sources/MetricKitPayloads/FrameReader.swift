import CallStacks
import JSONText

/// Reads one frame object, in the spelling of Apple or of OpenTelemetry.
struct FrameReader {
    let document: JSONDocument
    let limits: PayloadLimits
    /// Images that came before.
    private var images: Set<ImageID> = []
    /// The first ones of these. A tree repeats few images many times, and to compare their texts
    /// costs less than to read them again.
    private var first: [KnownImage] = []

    private struct KnownImage {
        let uuid: JSONPlace
        let image: ImageID
        /// Under which it came last, so that one name is one string.
        var name: String?
    }

    /// More would take longer to look through than to read.
    private static let firstCount = 12

    init(document: JSONDocument, limits: PayloadLimits) {
        self.document = document
        self.limits = limits
    }

    struct Answer {
        var frame = ReceivedTree.Frame()
        var subFrames: JSONPlace?
        /// Whether the writer left out deeper frames.
        var wasCutByWriter = false
        fileprivate var uuid: JSONPlace?
        fileprivate var name: JSONPlace?
        /// Its image among the first ones.
        fileprivate var known: Int?
    }

    /// The members that are read, by their names.
    private enum Member: String, CaseIterable {
        case uuid = "binaryUUID"
        case name = "binaryName"
        case offset = "offsetIntoBinaryTextSegment"
        case offsetOfOpenTelemetry = "offsetAddress"
        case address, sampleCount, subFrames, exceededMaxDepth

        static let all = allCases
        static let names = JSONNames(all.map(\.rawValue))
    }

    /// A value that is no object gives a frame without anything, so that the others keep their
    /// places.
    mutating func frame(_ value: JSONPlace) -> Answer {
        var answer = Answer()
        var members = document.members(of: value)
        while let (name, value) = document.next(of: &members, named: Member.names) {
            read(Member.all[name], value, into: &answer)
        }
        identify(&answer)
        if let name = answer.name { answer.frame.name = text(of: name, answer.known) }
        return answer
    }

    private func read(_ member: Member, _ value: JSONPlace, into answer: inout Answer) {
        if document.kind(at: value) == .null { return }
        switch member {
        case .uuid: answer.uuid = value
        case .name: read(name: value, into: &answer)
        case .subFrames: answer.subFrames = value
        case .offset, .offsetOfOpenTelemetry:
            answer.frame.offset = integer(value)
                .unsigned(&answer.frame.remarks, ifNegative: .negativeOffset)
        case .address:
            answer.frame.address = integer(value).unsigned(&answer.frame.remarks)
        case .sampleCount:
            answer.frame.samples = integer(value).unsigned(&answer.frame.remarks)
        case .exceededMaxDepth: answer.wasCutByWriter = document.bool(at: value) == true
        }
    }

    private func integer(_ value: JSONPlace) -> ReceivedInteger {
        ReceivedInteger(at: value, in: document)
    }

    /// Takes a name for later, when its image is known; one that is too long is cut at once.
    private func read(name value: JSONPlace, into answer: inout Answer) {
        answer.name = nil
        answer.frame.name = nil
        if document.range(of: value).count <= limits.nameLength {
            answer.name = value
            return
        }
        guard let name = document.value(at: value).string else { return }
        if name.count > limits.nameLength { answer.frame.remarks.note(.sizeLimit) }
        answer.frame.name = String(name.prefix(limits.nameLength))
    }

    private mutating func text(of name: JSONPlace, _ known: Int?) -> String? {
        if let known, let text = first[known].name, document.isString(at: name, text) {
            return text
        }
        guard let text = document.value(at: name).string, !text.isEmpty else { return nil }
        if let known { first[known].name = text }
        return text
    }

    private mutating func identify(_ answer: inout Answer) {
        guard let uuid = answer.uuid, document.kind(at: uuid) == .string,
            !document.range(of: uuid).isEmpty
        else {
            answer.frame.remarks.note(answer.uuid == nil ? .noUUID : .invalidUUID)
            return
        }
        answer.known = first.indices.first { document.isWrittenAlike(first[$0].uuid, uuid) }
        if let known = answer.known {
            answer.frame.image = first[known].image
            return
        }
        guard let text = document.value(at: uuid).stringBytes, let image = ImageID(utf8: text),
            image.hasUUIDLength
        else {
            answer.frame.remarks.note(.invalidUUID)
            return
        }
        guard images.contains(image) || images.count < limits.imagesPerTree else {
            answer.frame.remarks.note(.sizeLimit)
            return
        }
        images.insert(image)
        answer.frame.image = image
        guard first.count < Self.firstCount else { return }
        answer.known = first.count
        first.append(KnownImage(uuid: uuid, image: image))
    }
}
