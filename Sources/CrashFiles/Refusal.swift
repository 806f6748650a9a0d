import CallStacks
import MetricKitPayloads

/// Why nothing can be made of a file, and what to do instead.
struct Refusal {
    let explanation: String
    /// Whether it is a report, of a kind that is not read.
    let isReport: Bool

    func part(_ range: Range<Int>) -> UnreadPart {
        UnreadPart(range: range, remark: .unknownShape, explanation: explanation)
    }

    init(_ explanation: String, isReport: Bool = false) {
        self.explanation = explanation
        self.isReport = isReport
    }

    /// A file that its first bytes tell to be something else than a text.
    init?(ofFile bytes: [UInt8]) {
        if TombstoneStart.begins(bytes) {
            self = .tombstone
        } else if bytes.starts(with: Self.plcrashStart) {
            self = .plcrash
        } else if let row = Self.signatures.first(where: { bytes.starts(with: $0.bytes) }) {
            self.init(row.explanation)
        } else {
            return nil
        }
    }

    /// A text in which no report was found.
    init(ofText text: ArraySlice<UInt8>) {
        guard !text.isEmpty else {
            self.init("file: is empty: give a crash, hang or backtrace file")
            return
        }
        let beginning = text.prefix(Self.phrasesLimit)
        if let row = Self.phrases.first(where: { beginning.contains(subsequence: $0.phrase) }) {
            self = row.refusal
            return
        }
        if Self.holdsAddressesOnly(text) {
            self.init(
                "file: holds addresses and names no image: give them to symbolist atos with -o and"
                    + " -l")
            return
        }
        let lines = text.prefix(4_096).split(
            maxSplits: 3, omittingEmptySubsequences: true,
            whereSeparator: { $0 == 0x0a || $0 == 0x0d })
        let quoted = lines.prefix(3).map { line in
            let text = String(decoding: line.prefix(80), as: UTF8.self)
            return "\"" + String(text.map { $0.isASCII && !$0.isPrintable ? "?" : $0 }) + "\""
        }
        self.init(
            "file: holds no report that can be read, it begins with "
                + quoted.joined(separator: ", ") + ": give " + CrashFormat.allWords)
    }

    /// Whether the beginning of a text is hexadecimal numbers and nothing else.
    private static func holdsAddressesOnly(_ text: ArraySlice<UInt8>) -> Bool {
        let words = text.prefix(4_096).split { $0 <= 0x20 }
        // The last word may be cut.
        return !words.isEmpty
            && words.prefix(max(words.count - 1, 1)).allSatisfy { word in
                UInt64(address: word) != nil || (word.count >= 6 && UInt64(hexDigits: word) != nil)
            }
    }

    /// Texts that are told by what stands somewhere in them.
    private static let phrases: [(phrase: [UInt8], refusal: Refusal)] = [
        (Array("panic(cpu ".utf8), .kernelPanic),
        (Array("*** Panic Report ***".utf8), .kernelPanic),
        (
            Array("*** First throw call stack:".utf8),
            Refusal(
                "call stack: holds addresses and names no image: give the crash report of the same"
                    + " time", isReport: true)
        ),
    ]
    /// How much of a text is searched for them, in bytes.
    private static let phrasesLimit = 1 << 16

    private static let plcrashStart = Array("plcrash".utf8) + [1]
    private static let plcrash = Self(
        "file: is a binary report of PLCrashReporter: turn it into text with plcrashutil",
        isReport: true)
    private static let tombstone = Self(
        "file: is a binary tombstone of Android: give the text of it, as adb bugreport has it",
        isReport: true)
    private static let symbolFile =
        "file: is a symbol file and no report: give it with --symbols, or to symbolist upload"
    private static let archive = "file: is an archive: unpack it and give the reports in it"
    private static let compressed = "file: is compressed: decompress it"
    private static let wideText = "file: is text in UTF-16: convert it to UTF-8"

    /// The first bytes of files that are told by them.
    private static let signatures: [(bytes: [UInt8], explanation: String)] = [
        ([0x7f, 0x45, 0x4c, 0x46], symbolFile), ([0xcf, 0xfa, 0xed, 0xfe], symbolFile),
        ([0xce, 0xfa, 0xed, 0xfe], symbolFile), ([0xfe, 0xed, 0xfa, 0xcf], symbolFile),
        ([0xfe, 0xed, 0xfa, 0xce], symbolFile), ([0xca, 0xfe, 0xba, 0xbe], symbolFile),
        ([0xca, 0xfe, 0xba, 0xbf], symbolFile),
        (
            Array("bplist00".utf8),
            "file: is a binary property list: convert it with plutil -convert json"
        ),
        ([0x50, 0x4b, 0x03, 0x04], archive), ([0x1f, 0x8b], compressed),
        ([0x28, 0xb5, 0x2f, 0xfd], compressed), ([0xff, 0xfe], wideText), ([0xfe, 0xff], wideText),
    ]
}

extension Character {
    /// Whether a terminal shows it as itself.
    fileprivate var isPrintable: Bool { asciiValue.map { (0x20..<0x7f).contains($0) } ?? true }
}

/// Tells a binary tombstone of Android: fields of protobuf in the order of their numbers, of which the
/// second one is the fingerprint of the system (`tombstone.proto`).
private enum TombstoneStart {
    static func begins(_ bytes: [UInt8]) -> Bool {
        var rest = bytes.prefix(512)[...]
        // The architecture is left out where it is the first of its list.
        if rest.first == 0x08 { rest = rest.dropFirst(2) }
        guard rest.popFirst() == 0x12, let count = rest.popFirst(), count < 0x80 else {
            return false
        }
        let fingerprint = rest.prefix(Int(count))
        return fingerprint.contains(UInt8(ascii: "/"))
            && fingerprint.allSatisfy { (0x21..<0x7f).contains($0) }
            && rest.dropFirst(Int(count)).first == 0x1a
    }
}
