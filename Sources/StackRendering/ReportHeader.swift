import CallStacks

/// The lines above the stacks: what happened, where, to which version on which system.
struct ReportHeader {
    let text: String

    init(_ diagnostic: SymbolicatedDiagnostic, style: StackStyle) {
        let details = diagnostic.details
        let title = diagnostic.title
        let message = diagnostic.exceptionMessage.flatMap { title.hasPrefix($0) ? nil : $0 }
        let exception = [diagnostic.exceptionName, diagnostic.signalName].joinedAsException
        let system = [details.osVersion, details.deviceType, details.architecture]
            .compactMap(\.self).joined(separator: ", ")
        let rows: [(String, String?)] = [
            ("Exception", exception),
            ("Message", message),
            ("Termination", details.terminationReason),
            ("", details.terminationReason.flatMap(TerminationCode.init(in:))?.words),
            ("Duration", diagnostic.kind == .hang ? details.measurement : nil),
            ("Measured", diagnostic.kind == .hang ? nil : details.measurement),
            ("App", details.appWithVersion),
            ("System", system.isEmpty ? nil : system),
            ("Time", details.timestamp),
            ("Symbols", diagnostic.coverage),
        ]
        let lines = rows.compactMap { label, value in
            value.map { padded(label.isEmpty ? "" : "\(label):", to: 14) + shown($0) + "\n" }
        }
        text = style.paint(shown(title), as: .heading) + "\n" + lines.joined()
    }
}

extension SymbolicatedDiagnostic {
    /// `partial: 11 of 12 frames of the app have a function`.
    fileprivate var coverage: String? {
        let (total, resolved) = appFrameCounts
        guard total > 0 else { return nil }
        return "\(status.rawValue): \(resolved) of \(counted(total, "frame")) of the app"
    }
}

extension DiagnosticDetails {
    /// `com.example.shop 2.1 (345)`.
    fileprivate var appWithVersion: String? {
        let parts = [bundleIdentifier, appVersion, appBuild.map { "(\($0))" }].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
