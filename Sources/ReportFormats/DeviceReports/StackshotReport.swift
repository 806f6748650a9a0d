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

    package static func read(_ input: JSONReportInput, into file: inout CrashFile) {
        // In a watchdog's report, the stackshot is a member.
        let shot = input.root["stackshot"] ?? input.root
        let limit = input.context.limits.elements
        let list = shot["processByPid"]
        let processes = list?.members.prefix(limit).map(StackshotProcess.init) ?? []
        guard !processes.isEmpty else { return file.addUnread(.stackshot, at: input.range) }
        let wanted = selected(processes, from: shot, by: input.context.processes)
        if wanted.isEmpty, case .named(let names) = input.context.processes {
            let reason = UnreadReason(noProcess: names, among: processes.map(\.label))
            return file.addUnread(reason, at: input.range)
        }
        let isCut = list?.members.dropFirst(limit).contains { _ in true } == true
        add(wanted, of: StackshotFacts(input, shot: shot, isCut: isCut), to: &file)
    }

    private static func selected(
        _ processes: [StackshotProcess], from shot: JSONValue, by filter: ProcessFilter
    ) -> [StackshotProcess] {
        let front = Set(shot["frontmostPids"]?.elements.prefix(100).compactMap(\.unsigned) ?? [])
        let wanted = processes.filter { process in
            filter.includes(process.label, isTarget: process.number.map(front.contains) ?? false)
        }
        return wanted.isEmpty && filter == .target ? processes : wanted
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

/// What the processes of a stackshot have in common.
struct StackshotFacts {
    let range: Range<Int>
    let images: [ListedImage]
    let limits: PayloadLimits
    let remarks: [Remark]
    private let details: DiagnosticDetails

    /// - Parameter isCut: Whether the report has more processes than can be read.
    init(_ input: JSONReportInput, shot: JSONValue, isCut: Bool) {
        range = input.range
        limits = input.context.limits
        let list = shot["binaryImages"] ?? input.root["binaryImages"]
        images =
            list?.elements.prefix(limits.imagesPerTree).map(ListedImage.init(stackshot:)) ?? []
        let isCut = isCut || list?.hasElements(beyond: images.count) == true
        remarks = [input.damage, list == nil ? .noImageList : nil, isCut ? .sizeLimit : nil]
            .compactMap { $0 }
        details = DiagnosticDetails(device: input)
    }

    var architecture: Architecture? { details.architecture.flatMap { Architecture(name: $0) } }

    func details(ofProcess name: String?, label: String) -> DiagnosticDetails {
        var details = details
        details.processName = name
        details.fields[.process] = label
        return details
    }
}

extension ListedImage {
    /// Reads an element of `binaryImages`: a UUID, a load address, and the letter of its origin.
    fileprivate init(stackshot value: JSONValue) {
        let parts = Array(value.elements.prefix(2))
        self.init(
            id: parts.first?.string.flatMap { ImageID($0) },
            base: value.isWhole && parts.count > 1
                ? UInt64(lenient: parts[1]).map { RuntimeAddress($0) } : nil)
    }
}
