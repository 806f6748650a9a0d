import CallStacks
package import JSONText
import MetricKitPayloads

/// Stackshots and reports of the system watchdog: the threads of all processes of a device.
///
/// Only the processes in front are read, or all if the report names none of them. The user can
/// select other processes.
package enum StackshotReport: JSONReportFormat {
    package static func fits(_ root: JSONValue) -> Bool {
        root["processByPid"] != nil || root["stackshot"] != nil
    }

    /// Returns the names of the processes in front.
    package static func subjects(of root: JSONValue) -> Set<String> {
        guard fits(root) else { return [] }
        let processes = StackshotProcesses(root, limit: PayloadLimits().elements)
        return Set(processes.inFront.compactMap(\.name))
    }

    package static func read(_ input: JSONReportInput, into file: inout CrashFile) {
        let processes = StackshotProcesses(input.root, limit: input.context.limits.elements)
        guard !processes.all.isEmpty else {
            let reason: UnreadReason = processes.isRedacted ? .redactedStackshot : .stackshot
            return file.addUnread(reason, at: input.range)
        }
        let selected = processes.selected(by: input.context.processes)
        if selected.isEmpty, case .named(let names) = input.context.processes {
            let reason = UnreadReason(noProcess: names, among: processes.all.map(\.label))
            return file.addUnread(reason, at: input.range)
        }
        add(selected, of: StackshotFacts(input, isCut: processes.isCut), to: &file)
    }

    /// Adds a report for each process. Their ranges follow one another and cover the whole value.
    private static func add(
        _ processes: [StackshotProcess], of facts: StackshotFacts, to file: inout CrashFile
    ) {
        var start = facts.range.lowerBound
        for (position, process) in processes.enumerated() {
            let isLast = position == processes.count - 1
            let end = isLast ? facts.range.upperBound : process.value.range.upperBound
            file.reports.append(
                CrashReport(
                    .stackshot, range: start..<max(start, end), label: process.label,
                    content: .resolved(process.diagnostic(in: facts)), rewriter: nil))
            start = max(start, end)
        }
    }
}
