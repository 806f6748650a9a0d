import CallStacks
package import MetricKitPayloads
import Problems

/// Why a file, or a report in it, cannot be read.
package struct UnreadReason {
    /// The problem, without a subject if it concerns the whole file.
    let problem: Problem
    /// Whether it is a report of an unsupported kind.
    package let isReport: Bool

    package func unreadPart(at range: Range<Int>) -> UnreadPart {
        UnreadPart(range: range, remark: .unknownShape, problem: problem)
    }

    init(
        _ subject: String? = nil, detail: String, suggestion: String? = nil, isReport: Bool = false
    ) {
        problem = Problem(subject, detail: detail, suggestion: suggestion)
        self.isReport = isReport
    }

    /// Recognises a file that is not text by its first bytes.
    package init?(ofFile bytes: [UInt8]) {
        if TombstoneStart.begins(bytes) {
            self = .tombstone
        } else if bytes.starts(with: PLCrashReport.start) {
            self = .plcrash
        } else if let row = Self.signatures.first(where: { bytes.starts(with: $0.bytes) }) {
            self = row.reason
        } else {
            return nil
        }
    }

    /// Explains a text without a report.
    package init(ofText text: ArraySlice<UInt8>) {
        guard !text.isEmpty else {
            self.init(detail: "is empty", suggestion: "pass a crash, hang or backtrace file")
            return
        }
        let beginning = text.prefix(Self.phrasesLimit)
        if let row = Self.phrases.first(where: { beginning.contains(subsequence: $0.phrase) }) {
            self = row.reason
            return
        }
        if Self.containsOnlyAddresses(text) {
            self.init(
                detail: "contains addresses but no images",
                suggestion: "run symbolist atos with -o and -l")
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
            detail: "is not a supported report (begins with \(quoted.joined(separator: ", ")))")
    }

    /// Whether a text begins with hexadecimal numbers only.
    private static func containsOnlyAddresses(_ text: ArraySlice<UInt8>) -> Bool {
        let words = text.prefix(4_096).split { $0 <= 0x20 }
        // The last word may be truncated.
        return !words.isEmpty
            && words.prefix(max(words.count - 1, 1)).allSatisfy { word in
                UInt64(address: word) != nil || (word.count >= 6 && UInt64(hexDigits: word) != nil)
            }
    }

    /// Texts recognised by a phrase at any position.
    private static let phrases: [(phrase: [UInt8], reason: UnreadReason)] = [
        (Array("panic(cpu ".utf8), .kernelPanic),
        (Array("*** Panic Report ***".utf8), .kernelPanic),
        (
            Array("*** First throw call stack:".utf8),
            UnreadReason(
                "call stack", detail: "contains addresses but no images",
                suggestion: "pass the crash report", isReport: true)
        ),
    ]
    /// The length of the text that is searched for phrases, in bytes.
    private static let phrasesLimit = 1 << 16

    private static let plcrash = Self(
        detail: "is a corrupt or truncated PLCrashReporter report",
        suggestion: "pass the whole file", isReport: true)
    private static let tombstone = Self(
        detail: "is a binary Android tombstone",
        suggestion: "pass its text, as in an adb bugreport", isReport: true)
    private static let symbolFile = Self(
        detail: "is a symbol file, not a report",
        suggestion: "pass it with --symbols or to symbolist upload")
    private static let archive = Self(
        detail: "is an archive", suggestion: "unpack it and pass the reports in it")
    private static let compressed = Self(detail: "is compressed", suggestion: "decompress it")
    private static let wideText = Self(
        detail: "is text in UTF-16", suggestion: "convert it to UTF-8")
    private static let widestText = Self(
        detail: "is text in UTF-32", suggestion: "convert it to UTF-8")
    private static let propertyList = Self(
        detail: "is a binary property list", suggestion: "convert it with plutil -convert json")

    /// The first bytes of recognised files.
    private static let signatures: [(bytes: [UInt8], reason: UnreadReason)] = [
        ([0x7f, 0x45, 0x4c, 0x46], symbolFile), ([0xcf, 0xfa, 0xed, 0xfe], symbolFile),
        ([0xce, 0xfa, 0xed, 0xfe], symbolFile), ([0xfe, 0xed, 0xfa, 0xcf], symbolFile),
        ([0xfe, 0xed, 0xfa, 0xce], symbolFile), ([0xca, 0xfe, 0xba, 0xbe], symbolFile),
        ([0xca, 0xfe, 0xba, 0xbf], symbolFile),
        (Array("bplist00".utf8), propertyList),
        ([0x50, 0x4b, 0x03, 0x04], archive), ([0x1f, 0x8b], compressed),
        ([0x28, 0xb5, 0x2f, 0xfd], compressed), ([0xff, 0xfe, 0, 0], widestText),
        ([0, 0, 0xfe, 0xff], widestText), ([0xff, 0xfe], wideText), ([0xfe, 0xff], wideText),
    ]
}

extension Character {
    /// Whether a terminal prints the character itself.
    fileprivate var isPrintable: Bool { asciiValue.map { (0x20..<0x7f).contains($0) } ?? true }
}

/// Recognises a binary Android tombstone: protobuf fields in ascending order, where the second one
/// is the system's fingerprint (`tombstone.proto`).
private enum TombstoneStart {
    static func begins(_ bytes: [UInt8]) -> Bool {
        var rest = bytes.prefix(512)[...]
        // The architecture is omitted if it is the first of the enumeration.
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
