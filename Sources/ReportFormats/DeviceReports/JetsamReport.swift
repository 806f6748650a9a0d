import CallStacks
package import JSONText
import MetricKitPayloads

/// Reports of the processes that the system ended to free memory (jetsam). They have no stacks: the
/// report is about the first process that was ended, or else about the largest one.
package enum JetsamReport: JSONReportFormat {
    package static func fits(_ root: JSONValue) -> Bool {
        root["memoryStatus"] != nil && root["processes"] != nil
    }

    package static func read(_ input: JSONReportInput, into file: inout CrashFile) {
        let processes = JetsamProcesses(input.root, limit: input.context.limits.stacksPerTree)
        guard let subject = processes.ended.first ?? processes.largest else {
            return file.addUnread(.jetsam, at: input.range)
        }
        var remarks = [input.damage].compactMap { $0 }
        if processes.isCut { remarks.append(.sizeLimit) }
        var diagnostic = Diagnostic(
            kind: .memoryException, details: DiagnosticDetails(device: input),
            tree: CallStackTree(form: .threads), remarks: remarks)
        diagnostic.details.processName = subject.name
        diagnostic.details.terminationReason = subject.reason
        diagnostic.details.measurement = processes.memory(of: subject)
        diagnostic.details.fields[.process] = subject.label
        diagnostic.details.applicationMessages += processes.messages
        diagnostic.details.sections = [processes.section]
        diagnostic.images = processes.images(first: subject)
        file.reports.append(
            CrashReport(
                .jetsam, range: input.range, label: subject.label, content: .resolved(diagnostic),
                rewriter: nil))
    }
}
