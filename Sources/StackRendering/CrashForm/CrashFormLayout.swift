import CallStacks

/// Which of two layouts a report has.
enum CrashFormLayout {
    /// iOS and what descends from it.
    case embedded
    /// macOS, with Mac Catalyst and the simulators.
    case mac

    init(of details: DiagnosticDetails) {
        self = details.osVersion?.lowercased().hasPrefix("mac") == true ? .mac : .embedded
    }

    /// `Role:                Foreground`
    func headerLine(_ label: String, _ value: String) -> String {
        line(label, value, width: self == .mac ? 23 : 21)
    }

    /// `Exception Type:  EXC_BREAKPOINT (SIGTRAP)`
    func exceptionLine(_ label: String, _ value: String) -> String {
        line(label, value, width: self == .mac ? 23 : 17)
    }

    private func line(_ label: String, _ value: String, width: Int) -> String {
        padded("\(label):", to: width - 1) + " " + shown(value) + "\n"
    }
}

/// Lines of a text of several lines. No line is empty, and none begins as a section does, because it
/// would end the text for whoever reads the report.
func crashFormLines(_ text: String) -> [String] {
    let heads = [
        "Thread ", "Last Exception Backtrace:", "Application Specific", "Binary Images:",
    ]
    return text.split(whereSeparator: \.isNewline).compactMap { line in
        let line = shown(String(line))
        if line.allSatisfy({ $0 == " " }) { return nil }
        return heads.contains(where: line.hasPrefix) ? " " + line : line
    }
}
