public import CallStacks

/// The text for people, as an Apple crash report has it: a heading for each thread and a line for
/// each frame, innermost first; sampled stacks as trees with counts, outermost first.
///
///     Thread 0 Crashed:
///     0   Shop          0x0000000104a31f3c  [inlined] closure #1 in Cart.total(for:) (Cart.swift:21:9)
///     1   Shop          0x0000000104a31f3c  Cart.total(for:) + 84 (Cart.swift:18:24)
///     2   UIKitCore     0x00000001a2c3d4e8  0x1a2b00000 + 1266292
///
/// Every frame is shown but two kinds: an innermost frame that was reported twice, and in a report
/// the repetitions of a recursion, which are counted.
public struct StackText: Hashable, Sendable {
    public var style: StackStyle
    /// Whether files are shown with their folders.
    public var usesFullPaths: Bool
    /// Whether a report shows registers and everything else that it was given with.
    public var showsDetails: Bool

    public init(
        style: StackStyle = .plain, usesFullPaths: Bool = false, showsDetails: Bool = false
    ) {
        self.style = style
        self.usesFullPaths = usesFullPaths
        self.showsDetails = showsDetails
    }

    /// Everything: title and circumstances, the stacks, which images want symbols, and remarks.
    public func report(
        of diagnostic: SymbolicatedDiagnostic, with context: ReportContext = ReportContext()
    ) -> String {
        let wanted = diagnostic.wantedImages
        let parts = [
            ReportHeader(diagnostic, style: style).text,
            diagnostic.form == .sampled ? culpritSource(of: diagnostic, context) : "",
            stacks(of: diagnostic, context, foldsRecursion: true),
            showsDetails ? ReportDetails(of: diagnostic, style: style).text : "",
            WantedImages(of: diagnostic, context, style: style).text,
            context.input.map { SupplyCommands(for: wanted.app, input: $0, style: style).text }
                ?? "",
            remarks(of: diagnostic),
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// The stacks alone, what the diagnostic is about first. Each line ends in a line break.
    public func stacks(of diagnostic: SymbolicatedDiagnostic) -> String {
        stacks(of: diagnostic, ReportContext(), foldsRecursion: false)
    }

    private func stacks(
        of diagnostic: SymbolicatedDiagnostic, _ context: ReportContext, foldsRecursion: Bool
    ) -> String {
        let frameText = FrameText(style: style, usesFullPaths: usesFullPaths)
        let columns = ThreadColumns(of: diagnostic)
        var text = TextBytes()
        for (number, stack) in diagnostic.shownStacks.enumerated() {
            if number > 0 { text.add("\n") }
            text.add(heading(of: stack, kind: diagnostic.kind))
            switch diagnostic.form {
            case .threads:
                ThreadText(
                    columns: columns, frameText: frameText, excerpts: context.excerpts,
                    foldsRecursion: foldsRecursion
                )
                .write(diagnostic, rows: stack.frames, to: &text)
            case .sampled:
                TreeText(frameText: frameText).write(diagnostic, rows: stack.frames, to: &text)
            }
        }
        return text.text
    }

    /// The rows that stand for the diagnostic as one linear stack, innermost first: of a sampled one
    /// the heaviest path.
    public func representativeStack(of diagnostic: SymbolicatedDiagnostic) -> String {
        var text = TextBytes()
        ThreadText(
            columns: ThreadColumns(of: diagnostic),
            frameText: FrameText(style: style, usesFullPaths: usesFullPaths)
        ).write(diagnostic, rows: diagnostic.representativeRows, isOnePath: true, to: &text)
        return text.text
    }

    private func culpritSource(
        of diagnostic: SymbolicatedDiagnostic, _ context: ReportContext
    ) -> String {
        guard let row = diagnostic.culpritRow, let excerpt = context.excerpts[row] else {
            return ""
        }
        return ExcerptText(style: style).text(of: excerpt, marking: diagnostic.frames[row].line)
    }

    private func heading(of stack: SymbolicatedStack, kind: DiagnosticKind) -> String {
        let name = stack.name.map { "Thread \(stack.index) name:  \(shown($0))\n" } ?? ""
        return name + style.paint("\(stack.heading(in: kind)):", as: .heading) + "\n"
    }

    private func remarks(of diagnostic: SymbolicatedDiagnostic) -> String {
        let noticed = diagnostic.noticed
        guard !noticed.isEmpty else { return "" }
        let lines = noticed.map { "  \(padded($0.rawValue, to: 25))  \($0.words)\n" }
        return style.paint("Remarks:", as: .heading) + "\n" + lines.joined()
    }
}

extension SymbolicatedDiagnostic {
    /// The remarks about the whole, and those about frames.
    var noticed: [Remark] {
        var noticed = remarks
        for row in frames.indices {
            for remark in frames[row].remarks { noticed.note(remark) }
        }
        return noticed
    }
}

extension SymbolicatedStack {
    /// `Thread 3 Crashed`
    func heading(in kind: DiagnosticKind) -> String {
        switch role {
        case .lastException: return "Last Exception Backtrace"
        case .applicationBacktrace: return "Application Specific Backtrace"
        case .thread: break
        }
        let what = isAttributed ? (mark ?? kind.pastParticiple).map { " \($0)" } : nil
        return "Thread \(index)\(what ?? "")"
    }
}

extension DiagnosticKind {
    /// What happened to the thread that the diagnostic is about.
    fileprivate var pastParticiple: String? {
        switch self {
        case .crash, .memoryException, .unknown: "Crashed"
        case .hang: "Hung"
        case .cpuException, .diskWriteException, .appLaunch: nil
        }
    }
}
