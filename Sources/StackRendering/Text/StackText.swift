public import CallStacks
public import FlameGraphs

/// The text of a diagnostic, in the layout of an Apple crash report: a heading for each thread and
/// a line for each frame, innermost first; sampled stacks as trees with counts, outermost first.
///
///     Thread 0 Crashed:
///     0   Shop          0x0000000104a31f3c  [inlined] closure #1 in Cart.total(for:) (Cart.swift:21:9)
///     1   Shop          0x0000000104a31f3c  Cart.total(for:) + 84 (Cart.swift:18:24)
///     2   UIKitCore     0x00000001a2c3d4e8  0x1a2b00000 + 1266292
///
/// All frames are shown except a repeated innermost frame and, in a report, the repetitions of a
/// recursion, which are counted.
public struct StackText: Hashable, Sendable {
    public var style: StackStyle
    /// Whether to show files with their folders.
    public var usesFullPaths: Bool
    /// Whether a report shows registers and all other details of its input.
    public var showsDetails: Bool
    /// The calls of sampled stacks that are merged.
    public var grouping: FlameGraphBuilder.Grouping

    public init(
        style: StackStyle = .plain, usesFullPaths: Bool = false, showsDetails: Bool = false,
        grouping: FlameGraphBuilder.Grouping = .address
    ) {
        self.style = style
        self.grouping = grouping
        self.usesFullPaths = usesFullPaths
        self.showsDetails = showsDetails
    }

    /// Returns the full report: title, circumstances, stacks, images without symbols, and remarks.
    public func report(
        of diagnostic: SymbolicatedDiagnostic, with context: ReportContext = ReportContext()
    ) -> String {
        let wanted = diagnostic.imagesLackingSymbols
        let parts = [
            ReportHeader(diagnostic, style: style).text,
            diagnostic.form == .sampled ? culpritSource(of: diagnostic, context: context) : "",
            stacks(of: diagnostic, context: context, foldsRecursion: true),
            showsDetails ? ReportDetails(of: diagnostic).text : "",
            MissingSymbolsText(of: diagnostic, context: context, style: style).text,
            context.input.map {
                SymbolSearchCommands(for: wanted.app, input: $0, style: style).text
            }
                ?? "",
            remarks(of: diagnostic),
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// The usual length of a line.
    private static let bytesPerFrame = 96

    /// Returns the stacks alone, attributed ones first. Each line ends with a line break.
    public func stacks(of diagnostic: SymbolicatedDiagnostic) -> String {
        stacks(of: diagnostic, context: ReportContext(), foldsRecursion: false)
    }

    /// Appends the stacks alone to other text, so that they are not copied.
    public func write(stacksOf diagnostic: SymbolicatedDiagnostic, to utf8: inout [UInt8]) {
        var text = TextBuilder(appendingTo: &utf8)
        write(diagnostic, context: ReportContext(), foldsRecursion: false, to: &text)
        text.moveBytes(to: &utf8)
    }

    private func stacks(
        of diagnostic: SymbolicatedDiagnostic, context: ReportContext, foldsRecursion: Bool
    ) -> String {
        var text = TextBuilder()
        write(diagnostic, context: context, foldsRecursion: foldsRecursion, to: &text)
        return text.text
    }

    private func write(
        _ diagnostic: SymbolicatedDiagnostic, context: ReportContext, foldsRecursion: Bool,
        to text: inout TextBuilder
    ) {
        let frameText = FrameText(style: style, usesFullPaths: usesFullPaths)
        let diagnostic = diagnostic.mergingCalls(by: grouping)
        let columns = ThreadColumns(of: diagnostic)
        text.reserve(diagnostic.frames.count * Self.bytesPerFrame)
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
    }

    private func culpritSource(
        of diagnostic: SymbolicatedDiagnostic, context: ReportContext
    ) -> String {
        guard let row = diagnostic.culpritIndex, let excerpt = context.excerpts[row] else {
            return ""
        }
        return ExcerptText(style: style).text(of: excerpt, marking: diagnostic.frames[row].line)
    }

    private func heading(of stack: CallStack, kind: DiagnosticKind) -> String {
        let what = stack.role == .allocation ? "Allocation" : "Thread"
        let name = stack.name.map { "\(what) \(stack.index) name:  \(shown($0))\n" } ?? ""
        return name + style.paint("\(stack.heading(in: kind)):", as: .heading) + "\n"
    }

    private func remarks(of diagnostic: SymbolicatedDiagnostic) -> String {
        let noticed = diagnostic.allRemarks
        guard !noticed.isEmpty else { return "" }
        let lines = noticed.map { "  \(padded($0.rawValue, to: 25))  \($0.words)\n" }
        return style.paint("Remarks:", as: .heading) + "\n" + lines.joined()
    }
}

extension SymbolicatedDiagnostic {
    /// The distinct remarks about the diagnostic and its frames.
    var allRemarks: [Remark] {
        var noticed = remarks
        for row in frames.indices {
            for remark in frames[row].remarks { noticed.add(remark) }
        }
        return noticed
    }
}

extension CallStack {
    /// `Thread 3 Crashed`
    package func heading(in kind: DiagnosticKind) -> String {
        switch role {
        case .lastException: return "Last Exception Backtrace"
        case .applicationBacktrace: return "Application Specific Backtrace"
        case .allocation: return "Allocation \(index)"
        case .thread: break
        }
        let what = isAttributed ? (mark ?? kind.pastParticiple).map { " \($0)" } : nil
        return "Thread \(index)\(what ?? "")"
    }
}

extension DiagnosticKind {
    /// The word for an attributed thread in a heading.
    fileprivate var pastParticiple: String? {
        switch self {
        case .crash, .memoryException, .unknown: "Crashed"
        case .hang: "Hung"
        case .cpuException, .diskWriteException, .appLaunch: nil
        }
    }
}
