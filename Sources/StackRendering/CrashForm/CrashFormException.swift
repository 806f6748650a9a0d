import CallStacks

/// The lines that say what stopped the process, in groups.
struct CrashFormException {
    let sections: [String]

    init(_ diagnostic: SymbolicatedDiagnostic, _ layout: CrashFormLayout) {
        let details = diagnostic.details
        let type = Self.line(layout, "Exception Type", details.exception)
        let codes = Self.line(layout, "Exception Codes", details.codes)
        let ending =
            Self.line(layout, "Termination Reason", details.terminationReason(in: layout))
            + Self.lines("Termination Description: ", details.terminationDescription)
            + Self.line(layout, "Terminating Process", details.fields[.terminatingProcess])
        let message =
            Self.line(layout, "Exception Message", details.fields[.exceptionMessage])
            + Self.line(layout, "Exception Note", details.fields[.exceptionNote])
        let crashed = diagnostic.crashedThread
        let groups: [String]
        switch layout {
        case .embedded:
            let subtype = Self.line(layout, "Exception Subtype", details.exceptionSubtype)
            groups = [
                type + subtype + codes + message + details.memoryRegion + ending,
                crashed.map { "Triggered by Thread:  \($0.index)\n" } ?? "",
            ]
        case .mac:
            let words = Self.line(layout, "Exception Codes", details.exceptionSubtype)
            groups = [
                crashed.map { layout.headerLine("Crashed Thread", $0.numberAndQueue) } ?? "",
                type + words + codes + message, ending, details.memoryRegion,
            ]
        }
        sections = (groups + [details.information, details.triage]).filter { !$0.isEmpty }
    }

    /// A value of several lines. Those that could be read as frames are marked.
    static func lines(_ heading: String, _ value: String?) -> String {
        guard let value else { return "" }
        let lines = crashFormLines(value).enumerated().map { number, line in
            let isAtMargin = number > 0 || heading.isEmpty || heading.hasSuffix("\n")
            return isAtMargin && !line.isNoFrame ? "> " + line : line
        }
        return lines.isEmpty ? "" : heading + lines.map { $0 + "\n" }.joined()
    }

    private static func line(_ layout: CrashFormLayout, _ label: String, _ value: String?) -> String
    {
        value.map { layout.exceptionLine(label, $0) } ?? ""
    }
}

extension SymbolicatedDiagnostic {
    /// `nil` where no thread is the one that the report is about.
    var crashedThread: SymbolicatedStack? { stacks.first { $0.isAttributed && $0.role == .thread } }
}

extension SymbolicatedStack {
    /// `2  Dispatch queue: com.example.baskets`
    fileprivate var numberAndQueue: String {
        "\(index)" + (queue.map { "  Dispatch queue: \($0)" } ?? "")
    }
}

extension DiagnosticDetails {
    fileprivate var exception: String? {
        [
            exceptionType.map { MachException(rawValue: $0).name } ?? exceptionName,
            signal.map { DarwinSignal(rawValue: $0).name },
        ].joinedAsException
    }

    /// `SIGNAL 11 Segmentation fault: 11`; on macOS `Namespace SIGNAL, Code 11 Segmentation fault: 11`.
    fileprivate func terminationReason(in layout: CrashFormLayout) -> String? {
        guard let reason = terminationReason, layout == .mac else { return terminationReason }
        let words = reason.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].allSatisfy({ $0.isUppercase || $0 == "_" }),
            words[1].first?.isNumber == true
        else { return reason }
        return "Namespace \(words[0]), Code \(words[1])"
    }

    /// What is mapped around the address that was accessed.
    fileprivate var memoryRegion: String {
        let hasHeading = virtualMemoryRegion?.hasPrefix("VM Regions Near") == true
        return CrashFormException.lines(hasHeading ? "" : "VM Region Info: ", virtualMemoryRegion)
    }

    /// What was said, each once: by libraries, by the exception, by the runtime.
    fileprivate var information: String {
        var said = applicationMessages
        if let exception = uncaughtException,
            !said.contains(where: { $0.contains("uncaught exception") })
        {
            said.append(exception)
        }
        if let runtimeMessage, !said.contains(runtimeMessage) { said.append(runtimeMessage) }
        let lines = said.flatMap(crashFormLines)
        guard !lines.isEmpty else { return "" }
        return "Application Specific Information:\n" + lines.map { $0 + "\n" }.joined()
    }

    private var uncaughtException: String? {
        objectiveCExceptionName.map { name in
            "*** Terminating app due to uncaught exception '\(name)'"
                + (objectiveCExceptionMessage.map { ", reason: '\($0)'" } ?? "")
        }
    }

    fileprivate var triage: String {
        CrashFormException.lines("Kernel Triage:\n", fields[.kernelTriage])
    }
}

extension String {
    /// Whether a line does not begin with a number, as that of a frame does.
    fileprivate var isNoFrame: Bool { first { $0 != " " }?.isNumber != true }
}
