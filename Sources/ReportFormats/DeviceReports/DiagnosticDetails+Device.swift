import CallStacks
import JSONText

extension DiagnosticDetails {
    /// The facts in a report about a whole device, from its body or else from its header.
    init(device input: JSONReportInput) {
        self.init()
        let body = input.root
        let header = input.context.header
        osVersion = body["build"]?.nonEmpty ?? header?["os_version"]?.nonEmpty
        deviceType = body["product"]?.nonEmpty
        architecture = body["kernel"]?.string.flatMap(Self.architecture(ofKernel:))
        timestamp = body["date"]?.nonEmpty ?? header?["timestamp"]?.nonEmpty
        fields[.incident] = body["incident"]?.nonEmpty ?? header?["incident_id"]?.nonEmpty
        fields[.reporterKey] = body["crashReporterKey"]?.nonEmpty
        fields[.exceptionNote] = body["reason"]?.nonEmpty
    }

    /// Returns the architecture at the end of a kernel's version: `…/RELEASE_ARM64_T8101`.
    private static func architecture(ofKernel version: String) -> String? {
        ["ARM64", "X86_64"].first(where: version.contains).map { $0.lowercased() }
    }
}

extension JSONValue {
    /// Whether a list was replaced when the report was redacted.
    var isRedacted: Bool { string == RedactionLevel.placeholder }
}
