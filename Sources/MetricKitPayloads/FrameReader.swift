import CallStacks
import JSONText

/// Reads one frame object, in the spelling of Apple or of OpenTelemetry.
struct FrameReader {
    let limits: PayloadLimits
    /// Identities by their text, because a tree repeats few of them many times.
    private var images: [String: ImageID] = [:]

    init(limits: PayloadLimits) { self.limits = limits }

    struct Answer {
        var frame = ReceivedTree.Frame()
        var subFrames: JSONValue?
        /// Whether the writer left out deeper frames.
        var wasCutByWriter = false
        fileprivate var uuid: JSONValue?
    }

    /// A value that is no object gives a frame without anything, so that the others keep their
    /// places.
    mutating func frame(_ value: JSONValue) -> Answer {
        var answer = Answer()
        for member in value.members { read(member, into: &answer) }
        identify(&answer)
        return answer
    }

    private func read(_ member: JSONMember, into answer: inout Answer) {
        let value = member.value
        if value.kind == .null { return }
        if member.isNamed("binaryUUID") {
            answer.uuid = value
        } else if member.isNamed("subFrames") {
            answer.subFrames = value
        } else if member.isNamed("offsetIntoBinaryTextSegment") || member.isNamed("offsetAddress") {
            answer.frame.offset = ReceivedInteger(value)
                .unsigned(&answer.frame.remarks, ifNegative: .negativeOffset)
        } else if member.isNamed("address") {
            answer.frame.address = ReceivedInteger(value).unsigned(&answer.frame.remarks)
        } else if member.isNamed("sampleCount") {
            answer.frame.samples = ReceivedInteger(value).unsigned(&answer.frame.remarks)
        } else if member.isNamed("binaryName") {
            answer.frame.name = name(value, &answer.frame.remarks)
        } else if member.isNamed("exceededMaxDepth") {
            answer.wasCutByWriter = value.bool == true
        }
    }

    private func name(_ value: JSONValue, _ remarks: inout [Remark]) -> String? {
        guard let name = value.string, !name.isEmpty else { return nil }
        guard name.utf8.count > limits.nameLength, name.count > limits.nameLength
        else { return name }
        remarks.note(.sizeLimit)
        return String(name.prefix(limits.nameLength))
    }

    private mutating func identify(_ answer: inout Answer) {
        guard let text = answer.uuid?.string, !text.isEmpty else {
            answer.frame.remarks.note(answer.uuid == nil ? .noUUID : .invalidUUID)
            return
        }
        if let known = images[text] {
            answer.frame.image = known
        } else if let image = ImageID(text), image.hasUUIDLength {
            guard images.count < limits.imagesPerTree else {
                answer.frame.remarks.note(.sizeLimit)
                return
            }
            images[text] = image
            answer.frame.image = image
        } else {
            answer.frame.remarks.note(.invalidUUID)
        }
    }
}
