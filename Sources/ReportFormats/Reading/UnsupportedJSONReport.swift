package import JSONText
import MetricKitPayloads

/// Reports in JSON that are recognised by their keys but not supported.
package enum UnsupportedJSONReport: JSONReportFormat {
    package static func fits(_ root: JSONValue) -> Bool { reason(of: root) != nil }

    /// Lists the value as unread. Consecutive values with the same reason are listed once.
    package static func read(_ input: JSONReportInput, into file: inout CrashFile) {
        guard let reason = reason(of: input.root) else { return }
        if let last = file.unread.last, last.problem == reason.problem {
            file.unread[file.unread.count - 1].range =
                last.range.lowerBound..<max(last.range.upperBound, input.range.upperBound)
        } else {
            file.addUnread(reason, at: input.range)
        }
    }

    private static func reason(of root: JSONValue) -> UnreadReason? {
        guard root.kind == .object else { return nil }
        // A panic also lists processes and their memory.
        if root["panicString"] != nil { return .kernelPanic }
        if root["string"]?.string?.hasPrefix("panic(") == true { return .kernelPanic }
        if isOwnOutput(root) { return .ownOutput }
        let members = Array(root.members.prefix(2))
        guard members.count == 1, let record = members.first,
            crashlyticsKeys.contains(record.key),
            record.value.kind == .object || record.value.kind == .array
        else { return nil }
        return .crashlytics
    }

    /// Whether a value is JSON output of this program. It cannot be read as a report, because it
    /// lacks parts of the original report.
    private static func isOwnOutput(_ root: JSONValue) -> Bool {
        ["kind", "status", "fingerprint"].allSatisfy { root[$0]?.kind == .string }
            && (root["threads"]?.kind == .array || root["tree"]?.kind == .array)
    }

    /// Keys of a Crashlytics file, in which each line is an object with one of them.
    private static let crashlyticsKeys: Set<String> = [
        "load", "signal", "mach_exception", "exception", "error", "identity", "host", "executable",
        "application", "threads", "thread_names", "dispatch_queue_names", "runtime", "images",
        "process_stats", "storage", "kv", "log",
    ]
}

extension UnreadReason {
    static let stackshot = UnreadReason(
        "stackshot", detail: "has no processes", suggestion: "pass the whole file", isReport: true)
    static let jetsam = UnreadReason(
        "jetsam report", detail: "has no processes", suggestion: "pass the whole file",
        isReport: true)
    static let redactedStackshot = UnreadReason(
        "stackshot", detail: "has no processes, because they are redacted",
        suggestion: redactedSuggestion, isReport: true)
    static let redactedJetsam = UnreadReason(
        "jetsam report", detail: "has no processes, because they are redacted",
        suggestion: redactedSuggestion, isReport: true)
    private static let redactedSuggestion = "redact the original at the level default"
    static let jetsamText = UnreadReason(
        "jetsam report", detail: "lists the memory of processes, but has no stacks",
        suggestion: "look for a .ips of the same minute", isReport: true)
    static let kernelPanic = UnreadReason(
        "kernel panic", detail: "kernel stacks are not supported",
        suggestion: "use Apple's Kernel Debug Kit", isReport: true)
    static let analytics = UnreadReason(
        "analytics log", detail: "has statistics, but no stacks",
        suggestion: "look for a .ips of the same minute", isReport: true)
    static let ownOutput = UnreadReason(
        "Symbolist's own JSON", detail: "is already symbolicated",
        suggestion: "use the original report", isReport: true)
    static let crashlytics = UnreadReason(
        "Crashlytics record", detail: "is not supported",
        suggestion: "pass the .ips or MetricKit report of the same crash", isReport: true)
}
