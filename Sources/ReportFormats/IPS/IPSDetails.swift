import CallStacks
import JSONText

/// The details of an `.ips` report, from its body or else from its header.
struct IPSDetails {
    private let body: JSONValue
    private let header: JSONValue?

    init(_ input: JSONReportInput) {
        body = input.root
        header = input.context.header
    }

    var details: DiagnosticDetails {
        var details = DiagnosticDetails()
        let bundle = body["bundleInfo"]
        details.processName = body["procName"]?.nonEmpty ?? IPSHeader(header)?.name
        details.appVersion =
            bundle?["CFBundleShortVersionString"]?.nonEmpty ?? header?["app_version"]?.nonEmpty
        details.appBuild =
            bundle?["CFBundleVersion"]?.nonEmpty ?? header?["build_version"]?.nonEmpty
        details.bundleIdentifier =
            bundle?["CFBundleIdentifier"]?.nonEmpty ?? header?["bundleID"]?.nonEmpty
        details.osVersion = header?["os_version"]?.nonEmpty ?? system
        details.deviceType = body["modelCode"]?.nonEmpty
        details.architecture = architecture
        details.timestamp = body["captureTime"]?.nonEmpty ?? header?["timestamp"]?.nonEmpty
        details.virtualMemoryRegion =
            body["vmRegionInfo"]?.nonEmpty ?? body["vmregioninfo"]?.nonEmpty
        details.terminationReason = terminationReason
        details.fields = [ReportField: String](ipsBody: body, header: header)
        addException(to: &details)
        addMessages(to: &details)
        details.sections = sections
        return details
    }

    /// The text that reports have below their images.
    private var sections: [ReportSection] {
        let texts = [
            ("VM Region Summary:", body["vmSummary"]?.nonEmpty),
            ("Error Formulating Crash Report:", reportNotes),
        ]
        return texts.compactMap { heading, text in
            guard let text else { return nil }
            var rest = UnparsedCrashLines()
            for line in [heading] + text.split(separator: "\n").map(String.init) {
                _ = rest.add(line)
            }
            return rest.sections.first
        }
    }

    /// Problems noted while the report was written.
    private var reportNotes: String? {
        let notes = body["reportNotes"]?.elements.prefix(100).compactMap(\.nonEmpty) ?? []
        return notes.isEmpty ? nil : notes.joined(separator: "\n")
    }

    /// The system: `macOS 26.1 (25B78)`.
    private var system: String? {
        guard let version = body["osVersion"], let train = version["train"]?.nonEmpty
        else { return nil }
        return version["build"]?.nonEmpty.map { "\(train) (\($0))" } ?? train
    }

    /// The architecture of the main executable, the first image with its path, or else that of the
    /// processor.
    private var architecture: String? {
        let path = body["procPath"]?.string
        let main = body["usedImages"]?.elements.prefix(5_000).first {
            path != nil && $0["path"]?.string == path
        }
        if let name = main?["arch"]?.nonEmpty { return name }
        return body["cpuType"]?.nonEmpty.map { Architecture(reported: $0)?.name ?? $0 }
    }

    private func addException(to details: inout DiagnosticDetails) {
        if let exception = body["exception"] {
            if let type = exception["type"]?.nonEmpty { details.setException(named: type) }
            if let signal = exception["signal"]?.nonEmpty { details.setSignal(named: signal) }
            details.exceptionSubtype =
                exception["subtype"]?.nonEmpty
            if let codes = exception["rawCodes"],
                let code = codes.elements.first(where: { _ in true })
            {
                details.exceptionCode = UInt64(lenient: code)
            }
        }
        guard let reason = body["exceptionReason"] else { return }
        details.objectiveCExceptionName = reason["name"]?.nonEmpty ?? reason["class"]?.nonEmpty
        details.objectiveCExceptionMessage =
            reason["composed_message"]?.nonEmpty ?? reason["format_string"]?.nonEmpty
    }

    /// Adds the messages of libraries, in the order of the report.
    private func addMessages(to details: inout DiagnosticDetails) {
        guard let messages = body["asi"] else { return }
        for member in messages.members.prefix(100) {
            let library = member.key
            for text in member.value.elements.prefix(100) {
                if let text = text.string { details.add(message: text, from: library) }
            }
        }
    }

    /// The reason: `FRONTBOARD 2343432205 (0x8badf00d) …`
    private var terminationReason: String? {
        guard let termination = body["termination"] else { return nil }
        var words = [termination["namespace"]?.nonEmpty]
        if let code = termination["code"]?.unsigned {
            words.append("\(code)")
            if code > 0xffff { words.append("(0x\(String(code, radix: 16)))") }
        }
        words.append(termination["indicator"]?.nonEmpty)
        for key in ["reasons", "details"] {
            guard let list = termination[key] else { continue }
            words += list.elements.prefix(10).map(\.nonEmpty)
        }
        let text = words.compactMap { $0 }.joined(separator: " ")
        return text.isEmpty ? nil : text
    }
}
