import CallStacks

/// Stacks printed by programs, debuggers and sanitizers on Linux, anywhere in a text.
package enum LinuxStacks: TextReportFormat {
    /// The notations in the order in which they are tried. More general ones come later.
    package static let notations: [any StackNotation.Type] = [
        SanitizerNotation.self, CoreDumpNotation.self, BacktraceSymbolsNotation.self,
        DebuggerNotation.self, LLDBNotation.self, PerfNotation.self, ValgrindNotation.self,
        BoostNotation.self, GlogNotation.self, RustNotation.self, GoNotation.self,
    ]

    package static func isIdentified(by line: ArraySlice<UInt8>) -> Bool {
        number(begunBy: line) != nil
    }

    /// Returns the index of the notation of a report that starts with this line, or `nil` if there
    /// is none.
    package static func number(begunBy line: ArraySlice<UInt8>) -> Int? {
        guard LinePrefilter.ofStacks.admits(line) else { return nil }
        return notations.firstIndex { $0.begins(line) || $0.beginsAfterPrefix(line) }
    }

    package static func read(_ input: TextReportInput, into file: inout CrashFile) {
        let limits = input.context.limits
        var parser: StackParser?
        for line in input.lines.indices {
            let content = input.lines.content(line)
            if parser?.read(line, content) == true { continue }
            let before = parser
            add(parser, input, to: &file)
            parser = nil
            guard before?.isOver != true, let number = number(begunBy: content) else { continue }
            let isSame =
                before?.notation == notations[number] && before?.range.upperBound == line
            parser = StackParser(
                PrefixedNotation(number), at: line, after: isSame ? before : nil, limits: limits)
            _ = parser?.read(line, content)
        }
        add(parser, input, to: &file)
    }

    private static func add(
        _ parser: StackParser?, _ input: TextReportInput, to file: inout CrashFile
    ) {
        guard let parser else { return }
        let model = StackModel(parser, in: input.lines, limits: input.context.limits)
        if let report = model.report { file.reports.append(report) }
    }
}
