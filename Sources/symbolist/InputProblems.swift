import CallStacks
import CrashFiles
import MetricKitPayloads
import StackRendering

/// What of an input could not be read or was left out, one line each.
struct InputProblems {
    private let all: [String]
    /// Why nothing was found, without what to do about it; `nil` where something was.
    let nothingFound: String?
    /// Whether something was cut, damaged or not understood, besides simply holding no report.
    let isDamaged: Bool

    /// How many lines are printed of one input.
    static let lineLimit = 20

    /// - Parameters:
    ///   - bytes: What was read, which is quoted where nothing was found in it.
    ///   - noticed: The remarks of the answers to the reports of `file`.
    init(_ file: CrashFile, _ bytes: [UInt8], noticed: Set<Remark>, name: String) {
        let told = Set(file.unread.map(\.remark))
        let noted = noticed.union(file.remarks)
        let remarks = Remark.allCases.filter {
            $0.isLoss && noted.contains($0) && !told.contains($0)
        }
        let isEmpty = file.reports.isEmpty
        isDamaged =
            !remarks.isEmpty || told.contains { $0 != .unknownShape || !isEmpty }
        if isEmpty, !isDamaged {
            all = []
            nothingFound = Self.nothingFound(file.unread.map(\.explanation), bytes, name: name)
        } else {
            nothingFound = nil
            all =
                file.unread.map { "\(name): \($0.explanation): \($0.remark.next)" }
                + remarks.map { "\(name): \($0.words): \($0.next)" }
        }
    }

    var lines: [String] {
        let more = all.count - Self.lineLimit
        return all.prefix(Self.lineLimit)
            + (more > 0 ? ["and \(more) more problems like these"] : [])
    }

    private static func nothingFound(
        _ explanations: [String], _ bytes: [UInt8], name: String
    ) -> String {
        let isGeneral = { (text: String) in text.hasPrefix("text: ") || text.hasPrefix("json: ") }
        if let reason = explanations.first(where: { !isGeneral($0) }) {
            return "\(name): \(reason)"
        }
        guard bytes.contains(where: { $0 > 0x20 }) else { return "\(name): is empty" }
        let quote = beginning(of: bytes).map { ", and begins with '\($0)'" } ?? ""
        return "\(name): holds no crash or hang report\(quote)"
    }

    /// How many bytes of an input are quoted.
    private static let quoteLimit = 40

    /// The first words of a text; `nil` for what is no text.
    private static func beginning(of bytes: [UInt8]) -> String? {
        let line = bytes.drop { $0 <= 0x20 }.prefix { $0 != UInt8(ascii: "\n") && $0 != 13 }
        let isPlain = line.prefix(quoteLimit).allSatisfy { (0x20..<0x7f).contains($0) || $0 == 9 }
        guard isPlain else { return nil }
        let text = String(decoding: line.prefix(quoteLimit), as: UTF8.self)
        return line.count > quoteLimit ? text + "…" : text
    }
}

extension Remark {
    /// Whether something that was sent is not in the answer.
    fileprivate var isLoss: Bool {
        switch self {
        case .jsonTruncated, .jsonInvalid, .numberOutOfRange, .negativeOffset, .depthLimit,
            .frameLimit, .sizeLimit, .textTruncated:
            true
        default: false
        }
    }

    fileprivate var next: String {
        switch self {
        case .jsonTruncated, .textTruncated: "give the whole file"
        case .unknownShape: "give \(CrashFormat.allWords)"
        case .sizeLimit: "give one report at a time"
        default: "the rest is answered"
        }
    }
}
