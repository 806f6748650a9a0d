import CallStacks
import JSONText

/// The members of one frame object, and how more of them are written in its style.
struct FrameMembers {
    private let members: [JSONMember]
    private let bytes: [UInt8]
    private let style: JSONObjectText
    /// Where members are added: behind the last one that holds no frames. `nil` in an object that
    /// has none.
    let end: Int?

    init(_ value: JSONValue, in bytes: [UInt8]) {
        members = Array(value.members)
        self.bytes = bytes
        style = JSONObjectText(value, in: bytes)
        end = members.last { !$0.isNamed("subFrames") }?.value.quotedRange.upperBound
    }

    /// What is written of a function, `nil` where it is not known.
    static func names(of function: SymbolicatedFrame) -> [(key: String, text: String?)] {
        let file = function.writtenFile
        return [
            ("symbolName", function.function),
            ("offsetIntoSymbol", function.writtenDistance.map(String.init)),
            ("fileName", file), ("lineNumber", file.map { _ in "\(function.writtenLine)" }),
        ]
    }

    /// Members that are there get other values; the others are the text to add.
    func setting(_ names: [(key: String, text: String?)]) -> (replaced: [Edit], added: String) {
        var replaced: [Edit] = []
        var added = ""
        for (key, text) in names {
            if let known = members.first(where: { $0.isNamed(key) }) {
                replaced.append(Edit(known.value.quotedRange, text.map(Self.quoted) ?? "null"))
            } else if let text {
                added += member(key, Self.quoted(text))
            }
        }
        return (replaced, added)
    }

    /// The text of one more member, with the comma before it, set like those that are there.
    func member(_ key: String, _ value: String) -> String {
        String(
            decoding: Array(",".utf8) + style.gap + Array(json: key) + style.colon
                + Array(value.utf8), as: UTF8.self)
    }

    /// An inlined call as an object of its own, without the brace at its end.
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

    /// How many bytes of the values of the object each ``object(inlined:)`` repeats.
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
