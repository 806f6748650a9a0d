import CallStacks
import MetricKitPayloads
import StackRendering
import Symbolication

extension DiagnosticRow {
    /// What lists show of a record's diagnostics; of several the first gives the title.
    ///
    /// - Parameter record: The record that they came in; its resource tells the app where the
    ///   diagnostic does not.
    init?(
        _ diagnostics: [SymbolicatedDiagnostic], uid: String, place: RecordPlace,
        arrival: UnixTime, record: ReceivedRecord?
    ) {
        guard let first = diagnostics.first else { return nil }
        self.init(
            uid: uid, place: place, arrival: arrival, kind: first.kind,
            status: SymbolicatedDiagnostic.Status(of: diagnostics),
            fingerprint: first.fingerprint)
        app = first.details.bundleIdentifier ?? record?.resourceText(AttributeKeys.serviceName)
        version = first.details.appVersion ?? record?.resourceText(AttributeKeys.serviceVersion)
        build = first.details.appBuild
        exceptionName = first.exceptionName
        exceptionMessage = first.exceptionMessage
        culprit = first.culprit
        for counts in diagnostics.map(\.frameCounts) {
            frameCount += counts.total
            symbolicatedFrameCount += counts.resolved
        }
        wanted = Self.wanted(by: diagnostics)
    }

    /// Images without an identity cannot be uploaded, so nothing waits for them.
    private static func wanted(by diagnostics: [SymbolicatedDiagnostic]) -> [WantedImage] {
        var wanted: [WantedImage] = []
        for diagnostic in diagnostics {
            let images = diagnostic.wantedImages
            for (reports, isInApp) in [(images.app, true), (images.system, false)] {
                for report in reports {
                    guard let image = report.image, !wanted.contains(where: { $0.image == image })
                    else { continue }
                    wanted.append(
                        WantedImage(
                            image: image, name: report.name, architecture: report.architecture,
                            isInApp: isInApp, frameCount: report.frameCount))
                }
            }
        }
        return wanted
    }

    /// Whether images of the app are wanted, for which a record may be held back.
    var wantsAppImages: Bool { wanted.contains(where: \.isInApp) }
}
