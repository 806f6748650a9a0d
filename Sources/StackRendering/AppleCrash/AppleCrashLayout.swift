import CallStacks

/// The two layouts of Apple's reports.
enum AppleCrashLayout {
    /// The layout of iOS and its relatives.
    case embedded
    /// The layout of macOS, with Mac Catalyst and the simulators.
    case mac

    init(of details: DiagnosticDetails) {
        let system = details.osVersion?.lowercased() ?? ""
        // macOS was "Mac OS X" and later "OS X".
        self = system.hasPrefix("mac") || system.hasPrefix("os x") ? .mac : .embedded
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

/// Returns the non-empty lines of a text. A line that starts like a section is indented, because
/// readers of the report would end the text there.
func appleCrashLines(_ text: String) -> [String] {
    let heads = [
        "Thread ", "Last Exception Backtrace:", "Application Specific", "Binary Images:",
    ]
    return text.split(whereSeparator: \.isNewline).compactMap { line in
        let line = shown(String(line))
        if line.allSatisfy({ $0 == " " }) { return nil }
        return heads.contains(where: line.hasPrefix) ? " " + line : line
    }
}
