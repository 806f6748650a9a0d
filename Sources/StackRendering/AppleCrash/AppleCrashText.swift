public import CallStacks
public import Problems

/// A crash as the text of an Apple report (`.crash`), for tools that read only this format.
///
/// Facts that the report does not have are omitted. Frames, threads and images are in Apple's
/// columns. Each inlined call has a line before that of its function.
public struct AppleCrashText: Sendable {
    /// The reason why a diagnostic cannot be written in this format.
    public enum Refusal: Error, Hashable, Sendable {
        case sampled
        case withoutAddresses
    }

    public let text: String

    /// - Throws: `Refusal` if Apple's format cannot express the diagnostic.
    public init(of diagnostic: SymbolicatedDiagnostic) throws(Refusal) {
        guard !Self.isSampled(diagnostic) else { throw .sampled }
        let images = AppleCrashImages(of: diagnostic)
        guard Self.hasAddresses(diagnostic, in: images) else { throw .withoutAddresses }
        let layout = AppleCrashLayout(of: diagnostic.details)
        let threads = AppleCrashThreads(diagnostic, images: images, layout: layout)
        let sections =
            AppleCrashHeader(diagnostic.details, layout: layout).sections
            + AppleCrashException(diagnostic, layout: layout).sections
            + [threads.exceptions, threads.threads].filter { !$0.isEmpty }
        let end = [
            AppleCrashRegisters(of: diagnostic)?.text ?? "",
            images.text(in: layout), Self.sections(of: diagnostic.details),
            layout == .embedded ? "EOF\n" : "",
        ]
        text =
            sections.map { $0 + "\n" }.joined() + "\n"
            + end.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Whether Apple's format can express a diagnostic.
    public static func canExpress(_ diagnostic: SymbolicatedDiagnostic) -> Bool {
        !isSampled(diagnostic) && hasAddresses(diagnostic, in: AppleCrashImages(of: diagnostic))
    }

    private static func isSampled(_ diagnostic: SymbolicatedDiagnostic) -> Bool {
        diagnostic.form != .threads || diagnostic.kind.isSampled
    }

    private static func hasAddresses(
        _ diagnostic: SymbolicatedDiagnostic, in images: AppleCrashImages
    ) -> Bool {
        diagnostic.frames.isEmpty
            || diagnostic.frames.contains { images.address(of: $0) != nil }
    }

    /// Returns the other sections of the report. They follow the images, because readers do not
    /// look for frames there.
    private static func sections(of details: DiagnosticDetails) -> String {
        details.sections.map { section in
            section.lines.flatMap(appleCrashLines).map { $0 + "\n" }.joined()
        }.filter { !$0.isEmpty }.joined(separator: "\n")
    }
}

extension AppleCrashText.Refusal: DescribedError {
    /// A problem without a subject, such as
    /// `sampled stacks cannot be written as crash text: use the format 'text'`.
    public var problem: Problem {
        let detail =
            switch self {
            case .sampled: "sampled stacks cannot be written as crash text"
            case .withoutAddresses: "crash text needs addresses, and its frames have none"
            }
        return Problem(detail: detail, suggestion: "use the format 'text'")
    }
}
