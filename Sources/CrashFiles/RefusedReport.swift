import JSONText
import MetricKitPayloads

/// Reports in JSON that are told by their keys and not read.
enum RefusedReport: JSONReportReading {
    static func fits(_ root: JSONValue) -> Bool { refusal(of: root) != nil }

    /// Lists the value with its reason; a run of values with one reason is one part.
    static func read(_ part: JSONPart, into file: inout CrashFile) {
        guard let refusal = refusal(of: part.root) else { return }
        if let last = file.unread.last, last.explanation == refusal.explanation {
            file.unread[file.unread.count - 1].range =
                last.range.lowerBound..<max(last.range.upperBound, part.range.upperBound)
        } else {
            file.refuse(refusal, at: part.range)
        }
    }

    private static func refusal(of root: JSONValue) -> Refusal? {
        guard root.kind == .object else { return nil }
        if root["processByPid"] != nil || root["stackshot"] != nil { return .stackshot }
        if root["memoryStatus"] != nil, root["processes"] != nil { return .jetsam }
        if root["panicString"] != nil { return .kernelPanic }
        let members = Array(root.members.prefix(2))
        guard members.count == 1, let record = members.first,
            crashlyticsKeys.contains(record.key),
            record.value.kind == .object || record.value.kind == .array
        else { return nil }
        return .crashlytics
    }

    /// Each line of a file of Crashlytics is an object with one of these.
    private static let crashlyticsKeys: Set<String> = [
        "load", "signal", "mach_exception", "exception", "error", "identity", "host", "executable",
        "application", "threads", "thread_names", "dispatch_queue_names", "runtime", "images",
        "process_stats", "storage", "kv", "log",
    ]
}

extension Refusal {
    static let stackshot = Refusal(
        "stackshot: is not read: turn it into text with spindump -i FILE -stdout",
        isReport: true)
    static let jetsam = Refusal(
        "jetsam report: lists the memory of processes and holds no stacks: look for a .ips of the"
            + " same minute",
        isReport: true)
    static let kernelPanic = Refusal(
        "kernel panic: its stacks are of the kernel and not read: use Apple's kernel debug kit",
        isReport: true)
    static let crashlytics = Refusal(
        "Crashlytics record: is not read: give the .ips or MetricKit report of the same crash",
        isReport: true)
}
