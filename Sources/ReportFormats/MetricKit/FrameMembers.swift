import CallStacks
import JSONText

/// The members of one frame object, with the style for adding others.
struct FrameMembers {
    private let members: [JSONMember]
    private let bytes: [UInt8]
    private let style: JSONObjectText
    /// The position for new members: after the last complete one without frames, or `nil` if there
    /// is none.
    let end: Int?

    init(_ value: JSONValue, in bytes: [UInt8]) {
        members = Array(value.members)
        self.bytes = bytes
        style = JSONObjectText(value, in: bytes)
        let last = members.last { $0.value.isWhole && !$0.isNamed("subFrames") }
        end = last?.value.quotedRange.upperBound
    }

    /// Returns the members that describe a function, with `nil` for unknown values.
    static func names(of function: SymbolicatedFrame) -> [(key: String, text: String?)] {
        let file = function.fileLabel
        return [
            ("symbolName", function.function),
            ("offsetIntoSymbol", function.codeDistance.map(String.init)),
            ("fileName", file), ("lineNumber", file.map { _ in "\(function.exactLine)" }),
        ]
    }

    /// Replaces the values of existing members, and returns the text of the others.
    func setting(_ names: [(key: String, text: String?)]) -> (replaced: [Edit], added: String) {
        var replaced: [Edit] = []
        var added = ""
        for (key, text) in names {
            if let known = members.last(where: { $0.isNamed(key) }) {
                replaced.append(Edit(known.value.quotedRange, text.map(Self.quoted) ?? "null"))
            } else if let text {
                added += member(key, Self.quoted(text))
            }
        }
        return (replaced, added)
    }

    /// Returns the text of a new member with the comma before it, in the style of the others.
    func member(_ key: String, _ value: String) -> String {
        String(
            decoding: Array(",".utf8) + style.gap + Array(json: key) + style.colon
                + Array(value.utf8), as: UTF8.self)
    }

    /// Returns an inlined call as an object without its closing brace.
    func object(inlined function: SymbolicatedFrame) -> String {
        var texts: [String] = []
        for member in members {
            if member.isNamed("isBlameFrame") {
                texts.append("\"isBlameFrame\":false")
            } else if Self.copiedKeys.contains(where: member.isNamed) {
                let text = String(decoding: bytes[member.value.quotedRange], as: UTF8.self)
                texts.append("\"\(member.key)\":\(text)")
            }
        }
        texts.append("\"inlined\":true")
        for (key, text) in Self.names(of: function) {
            if let text { texts.append("\"\(key)\":\(Self.quoted(text))") }
        }
        return "{" + texts.joined(separator: ",")
    }

    /// The size of the object's values that each ``object(inlined:)`` repeats, in bytes.
    var copiedByteCount: Int {
        members.reduce(0) { sum, member in
            let isCopied = Self.copiedKeys.contains(where: member.isNamed)
            return sum + (isCopied ? member.value.quotedRange.count + member.key.utf8.count : 0)
        }
    }

    private static let copiedKeys = [
        "sampleCount", "binaryName", "binaryUUID", "address", "offsetIntoBinaryTextSegment",
        "offsetAddress",
    ]

    private static func quoted(_ text: String) -> String {
        String(decoding: Array(json: text), as: UTF8.self)
    }
}
