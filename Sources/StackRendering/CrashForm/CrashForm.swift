public import CallStacks

/// A crash as the text of an Apple report (`.crash`), for tools that read nothing else.
///
/// What a report does not say is left out. Frames, threads and images stand in Apple's columns, with
/// a line for each inlined call before that of its function.
public struct CrashForm: Sendable {
    /// Why a diagnostic has no such form.
    public enum Refusal: Error, Hashable, Sendable {
        case sampled
        case withoutAddresses
    }

    public let text: String

    /// - Throws: For what Apple's text has no place for.
    public init(of diagnostic: SymbolicatedDiagnostic) throws(Refusal) {
        guard diagnostic.form == .threads, !diagnostic.kind.isSampled else { throw .sampled }
        let images = CrashFormImages(of: diagnostic)
        guard
            diagnostic.frames.isEmpty
                || diagnostic.frames.contains(where: { images.address(of: $0) != nil })
        else { throw .withoutAddresses }
        let layout = CrashFormLayout(of: diagnostic.details)
        let threads = CrashFormThreads(diagnostic, images, layout)
        let sections =
            CrashFormHeader(diagnostic.details, layout).sections
            + CrashFormException(diagnostic, layout).sections
            + [threads.exceptions, threads.threads].filter { !$0.isEmpty }
        let end = [
            CrashFormRegisters(of: diagnostic)?.text ?? "",
            images.text(in: layout), Self.sections(of: diagnostic.details),
            layout == .embedded ? "EOF\n" : "",
        ]
        text =
            sections.map { $0 + "\n" }.joined() + "\n"
            + end.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// What else the report says, below its images: there no line is read as a frame.
    private static func sections(of details: DiagnosticDetails) -> String {
        details.sections.map { section in
            section.lines.flatMap(crashFormLines).map { $0 + "\n" }.joined()
        }.filter { !$0.isEmpty }.joined(separator: "\n")
    }
}

extension CrashForm.Refusal: CustomStringConvertible {
    /// `its stacks were sampled, which crash text has no form for: ask for text`
    public var description: String {
        switch self {
        case .sampled: "its stacks were sampled, which crash text has no form for: ask for text"
        case .withoutAddresses:
            "its frames came without addresses, which crash text is made of: ask for text"
        }
    }
}
