import CallStacks
import Problems
import ReportFormats

/// The information that is missing from a report, so that its frames cannot be looked up:
///
///     crash.ips: ends before its threads, and names only the main executable, Orchard 4C4C…: pass …
struct IncompleteReport {
    private let words: String
    private let next: String
    /// Whether the report is truncated, so that other messages need not repeat it.
    let isTruncated: Bool

    /// Creates the description, or returns `nil` if nothing is missing.
    init?(of report: CrashReport, symbolicated diagnostic: SymbolicatedDiagnostic) {
        isTruncated = diagnostic.remarks.contains(where: \.isEarlyEnd)
        let hasImages = !diagnostic.remarks.contains(.noImageList)
        if report.format == .jetsam {
            return nil
        } else if diagnostic.frames.isEmpty {
            words =
                isTruncated
                ? "ends before its threads" + (hasImages ? "" : Self.known(of: report))
                : "has no frames, so there is nothing to look up"
            next = isTruncated ? Self.wholeFile : Self.otherReport
        } else if isTruncated, !hasImages {
            words =
                "ends before its list of images, so its frames belong to none"
                + Self.known(of: report)
            next = Self.wholeFile
        } else if report.format == .swiftText, diagnostic.lacksAddresses {
            words = "shows frames without addresses, as SWIFT_BACKTRACE=preset=friendly does"
            next = "set SWIFT_BACKTRACE=preset=full where the program runs"
        } else if !hasImages, !diagnostic.frames.contains(where: \.isInNamedImage) {
            words = "lists no images, so addresses belong to none" + Self.known(of: report)
            next = report.format.nextWithoutImages
        } else {
            return nil
        }
    }

    func problem(of name: String) -> Problem {
        Problem(name, detail: words, suggestion: next)
    }

    private static let wholeFile = "pass the whole file"
    private static let otherReport = "pass another report of the same crash if there is one"

    /// Returns the identity of the main executable if it is the only one in the report.
    private static func known(of report: CrashReport) -> String {
        guard let image = report.images.first, let id = image.id, report.images.count == 1
        else { return "" }
        return ", and names only the main executable, \(image.name ?? "???") \(id)"
    }
}

extension SymbolicatedFrame {
    /// Whether the frame can be looked up once the identity of its image is known.
    fileprivate var isInNamedImage: Bool { image != nil || (imageName != nil && offset != nil) }
}

extension SymbolicatedDiagnostic {
    /// Whether an app frame has no address or offset to look up.
    fileprivate var lacksAddresses: Bool {
        frames.contains { $0.isInApp && !$0.isInlined && $0.address == nil && $0.offset == nil }
    }
}

extension CrashFormat {
    /// The next step for a report that lists no images.
    fileprivate var nextWithoutImages: String {
        switch self {
        case .swiftText, .swiftJSON: "set SWIFT_BACKTRACE=images=all where the program runs"
        default: "pass the whole file"
        }
    }
}
