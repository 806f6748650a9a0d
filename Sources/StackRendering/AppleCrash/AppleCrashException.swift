import CallStacks

/// The lines about the cause of the crash, in groups.
struct AppleCrashException {
    let sections: [String]

    init(_ diagnostic: SymbolicatedDiagnostic, layout: AppleCrashLayout) {
        let details = diagnostic.details
        let type = Self.line(layout, "Exception Type", details.exceptionWithSignal)
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
                crashed.map { "\($0.triggerLabel):  \($0.index)\n" } ?? "",
            ]
        case .mac:
            let words = Self.line(layout, "Exception Codes", details.exceptionSubtype)
            groups = [
                crashed.map {
                    let label = $0.mark == nil ? "Crashed Thread" : $0.triggerLabel
                    return layout.headerLine(label, $0.numberAndQueue)
                } ?? "",
                type + words + codes + message, ending, details.memoryRegion,
            ]
        }
        sections = (groups + [details.information, details.triage]).filter { !$0.isEmpty }
    }

    /// Returns a value with several lines. Lines that could be read as frames get a prefix.
    static func lines(_ heading: String, _ value: String?) -> String {
        guard let value else { return "" }
        let lines = appleCrashLines(value).enumerated().map { number, line in
            let isAtMargin = number > 0 || heading.isEmpty || heading.hasSuffix("\n")
            return isAtMargin && !line.isNoFrame ? "> " + line : line
        }
        return lines.isEmpty ? "" : heading + lines.map { $0 + "\n" }.joined()
    }

    private static func line(
        _ layout: AppleCrashLayout, _ label: String, _ value: String?
    ) -> String {
        value.map { layout.exceptionLine(label, $0) } ?? ""
    }
}

extension SymbolicatedDiagnostic {
    /// The thread that the report is about, or `nil` if there is none.
    var crashedThread: CallStack? { stacks.first { $0.isAttributed && $0.role == .thread } }
}

extension CallStack {
    /// The label of the header line that names the thread.
    fileprivate var triggerLabel: String {
        mark == "Highlighted" ? "Highlighted by Thread" : "Triggered by Thread"
    }

    /// `2  Dispatch queue: com.example.baskets`
    fileprivate var numberAndQueue: String {
        "\(index)" + (queue.map { "  Dispatch queue: \($0)" } ?? "")
    }
}

extension DiagnosticDetails {
    /// `SIGNAL 11 Segmentation fault: 11`; on macOS
    /// `Namespace SIGNAL, Code 11 Segmentation fault: 11`.
    fileprivate func terminationReason(in layout: AppleCrashLayout) -> String? {
        guard let reason = terminationReason, layout == .mac else { return terminationReason }
        let words = reason.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].allSatisfy({ $0.isUppercase || $0 == "_" }),
            words[1].first?.isNumber == true
        else { return reason }
        return "Namespace \(words[0]), Code \(words[1])"
    }

    /// The memory mapped around the accessed address.
    fileprivate var memoryRegion: String {
        let hasHeading = virtualMemoryRegion?.hasPrefix("VM Regions Near") == true
        return AppleCrashException.lines(hasHeading ? "" : "VM Region Info: ", virtualMemoryRegion)
    }

    /// The distinct messages of libraries, the exception and the runtime.
    fileprivate var information: String {
        var said = applicationMessages
        if let exception = uncaughtException,
            !said.contains(where: { $0.contains("uncaught exception") })
        {
            said.append(exception)
        }
        if let runtimeMessage, !said.contains(runtimeMessage) { said.append(runtimeMessage) }
        let lines = said.flatMap(appleCrashLines)
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
        AppleCrashException.lines("Kernel Triage:\n", fields[.kernelTriage])
    }
}

extension String {
    /// Whether the line does not start with a number, as a frame's line does.
    fileprivate var isNoFrame: Bool { first { $0 != " " }?.isNumber != true }
}
