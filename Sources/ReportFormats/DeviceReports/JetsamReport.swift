import CallStacks
package import JSONText
import MetricKitPayloads

/// Reports of the processes that the system ended to free memory (jetsam). They have no stacks: the
/// report is about the first process that was ended, or else about the largest one.
package enum JetsamReport: JSONReportFormat {
    package static func fits(_ root: JSONValue) -> Bool {
        root["memoryStatus"] != nil && root["processes"] != nil
    }

    /// Returns the names of the process that the report is about, and of the largest one.
    package static func subjects(of root: JSONValue) -> Set<String> {
        guard fits(root) else { return [] }
        let processes = JetsamProcesses(root, limit: PayloadLimits().stacksPerTree)
        let names = [
            processes.subject?.name, processes.largest?.name, root["largestProcess"]?.string,
        ]
        return Set(names.compactMap { $0 })
    }

    package static func read(_ input: JSONReportInput, into file: inout CrashFile) {
        let processes = JetsamProcesses(input.root, limit: input.context.limits.stacksPerTree)
        guard let subject = processes.subject else {
            return file.addUnread(
                processes.isRedacted ? .redactedJetsam : .jetsam, at: input.range)
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
        diagnostic.details.fields[.terminationDescription] = processes.summary
        diagnostic.details.sections = [processes.section]
        diagnostic.images = processes.images(first: subject)
        file.reports.append(
            CrashReport(
                .jetsam, range: input.range, label: subject.label, content: .resolved(diagnostic),
                rewriter: nil))
    }
}
