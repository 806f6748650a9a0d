import CallStacks
import MetricKitPayloads
import StackRendering
import SymbolIntake
import Symbolication

extension DiagnosticRow {
    /// What lists show of a record's diagnostics; of several the first gives the title.
    ///
    /// - Parameters:
    ///   - position: Among the records of the entry.
    ///   - entry: The one that they came in.
    ///   - access: The files that they were symbolicated with.
    ///   - record: The record that they came in; its resource tells the app where the diagnostic does
    ///     not.
    init?(
        _ diagnostics: [SymbolicatedDiagnostic], uid: String, at position: Int,
        of entry: JournalEntry, with access: SymbolAccess, record: ReceivedRecord?
    ) {
        guard let first = diagnostics.first else { return nil }
        self.init(
            uid: uid, place: RecordPlace(entry: entry.number, position: position),
            arrival: entry.draft.arrival, kind: first.kind,
            status: SymbolicatedDiagnostic.Status(of: diagnostics),
            fingerprint: first.fingerprint)
        let reportedApp =
            entry.draft.app ?? first.details.bundleIdentifier
            ?? record?.resourceText(AttributeKeys.serviceName)
        app = reportedApp?.withoutNUL
        let reportedVersion = record?.resourceText(AttributeKeys.serviceVersion)
        version = (first.details.appVersion ?? reportedVersion)?.withoutNUL
        build = first.details.appBuild?.withoutNUL
        exceptionName = first.exceptionName?.withoutNUL
        exceptionMessage = first.exceptionMessage?.withoutNUL
        culprit = first.culprit?.withoutNUL
        for counts in diagnostics.map(\.frameCounts) {
            frameCount += counts.total
            symbolicatedFrameCount += counts.resolved
        }
        wanted = Self.wanted(by: diagnostics, with: access)
    }

    /// Images without an identity cannot be uploaded, so nothing waits for them.
    private static func wanted(
        by diagnostics: [SymbolicatedDiagnostic], with access: SymbolAccess
    ) -> [WantedImage] {
        var wanted: [WantedImage] = []
        for diagnostic in diagnostics {
            let images = diagnostic.wantedImages
            for (reports, isInApp) in [(images.app, true), (images.system, false)] {
                for report in reports {
                    guard let image = report.image, !wanted.contains(where: { $0.image == image })
                    else { continue }
                    wanted.append(
                        WantedImage(
                            image: image, name: report.name?.withoutNUL,
                            architecture: report.architecture?.withoutNUL,
                            isInApp: isInApp, frameCount: report.frameCount,
                            app: access.boundApp))
                }
            }
        }
        return wanted
    }

    /// Whether images of the app are wanted, for which a record may be held back.
    var wantsAppImages: Bool { wanted.contains(where: \.isInApp) }
}

extension ReceivedRecord {
    /// The app that a diagnostic of the record names.
    func app(of diagnostic: ReceivedDiagnostic?) -> String? {
        diagnostic?.details.bundleIdentifier ?? resourceText(AttributeKeys.serviceName)
    }
}

extension String {
    /// The text with U+FFFD in place of each NUL, at which a database would cut it off.
    fileprivate var withoutNUL: String {
        utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self
    }
}
