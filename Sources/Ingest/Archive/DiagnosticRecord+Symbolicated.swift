import CallStacks
import FlameGraphs
import MetricKitPayloads
import ReportFormats
import StackRendering
import SymbolIntake
import Symbolication

extension DiagnosticRecord {
    /// - Parameters:
    ///   - diagnostics: The diagnostics of one record. The first one provides the title.
    ///   - uid: The identifier that lists show.
    ///   - access: The debug files that symbolication used.
    ///   - received: The received log record, whose resource names the app if the diagnostic does
    ///     not.
    /// - Returns: `nil` if there is no diagnostic.
    init?(
        _ diagnostics: [SymbolicatedDiagnostic], of record: EntryRecord, uid: String,
        with access: DebugFileAccess, received: ReceivedRecord? = nil
    ) {
        guard let first = diagnostics.first else { return nil }
        let draft = record.entry.draft
        self.init(
            uid: uid, address: record.address, arrival: draft.arrival, kind: first.kind,
            status: SymbolicatedDiagnostic.Status(of: diagnostics),
            fingerprint: first.fingerprint)
        let reportedApp =
            draft.app ?? first.details.bundleIdentifier
            ?? received?.resourceText(AttributeKeys.serviceName)
        app = reportedApp?.listedName
        setVersion(of: first.details, received)
        exceptionName = first.exceptionName?.replacingNUL
        exceptionMessage = first.exceptionMessage?.replacingNUL
        culprit = first.culprit?.replacingNUL
        for counts in diagnostics.map(\.frameCounts) {
            frameCount += counts.total
            symbolicatedFrameCount += counts.resolved
        }
        wanted = Self.wanted(by: diagnostics, with: access)
        appImages = Self.appImages(of: diagnostics)
        sampledStacks = diagnostics.lazy.compactMap(SampledStacks.init(of:)).first?.bytes
    }

    /// Sets the version and the build that the diagnostic names, or else its resource. The SDK for
    /// Swift sends both as one version: `1.4.0 (217)`.
    private mutating func setVersion(of details: DiagnosticDetails, _ received: ReceivedRecord?) {
        version = details.appVersion?.listedName
        build = details.appBuild?.listedName
        guard version == nil, let text = received?.resourceText(AttributeKeys.serviceVersion) else {
            return
        }
        let reported = VersionWithBuild(text)
        version = reported.version.listedName
        build = build ?? reported.build?.listedName
    }

    /// Returns the images that have an identity and lack symbols, and the system images whose
    /// symbols are stored. Images without an identity cannot be uploaded, so nothing waits for
    /// them.
    private static func wanted(
        by diagnostics: [SymbolicatedDiagnostic], with access: DebugFileAccess
    ) -> [WantedImage] {
        var wanted: [WantedImage] = []
        let imageCount = diagnostics.reduce(0) { $0 + $1.images.count }
        wanted.reserveCapacity(imageCount)
        var known = Set<ImageID>(minimumCapacity: imageCount)
        for diagnostic in diagnostics {
            let images = diagnostic.imagesLackingSymbols
            let stored = diagnostic.images.filter {
                $0.isOfSystem && $0.status == .found && $0.frameCount > 0
            }
            for (reports, isInApp, isStored) in [
                (images.app, true, false), (images.system, false, false), (stored, false, true),
            ] {
                for report in reports {
                    guard let image = report.image, known.insert(image).inserted else { continue }
                    wanted.append(
                        WantedImage(
                            image: image, name: report.name?.replacingNUL,
                            architecture: report.architecture?.replacingNUL,
                            isInApp: isInApp, frameCount: report.frameCount,
                            app: access.boundApp,
                            system: isInApp
                                ? nil : Self.origin(of: report, in: diagnostic.details),
                            isStored: isStored))
                }
            }
        }
        return wanted
    }

    /// The maximum number of images that are stored with a group for each diagnostic.
    private static let appImageLimit = 100

    private static func appImages(of diagnostics: [SymbolicatedDiagnostic]) -> Set<ImageID> {
        diagnostics.reduce(into: []) { images, diagnostic in
            images.formUnion(diagnostic.appImageIDs.prefix(appImageLimit - images.count))
        }
    }

    private static func origin(
        of image: ImageStatus, in details: DiagnosticDetails
    ) -> SystemOrigin? {
        SystemOrigin(
            version: details.osVersion?.replacingNUL,
            architecture: (image.architecture ?? details.architecture)?.replacingNUL,
            model: details.deviceType?.replacingNUL)
    }

    /// Whether it waits for images of the app, for which its record may be held.
    var wantsAppImages: Bool { wanted.contains(where: \.isInApp) }
}

extension ReceivedRecord {
    /// Returns the app named by a diagnostic of the record, or by its resource.
    func app(of diagnostic: ReceivedDiagnostic?) -> String? {
        diagnostic?.details.bundleIdentifier ?? resourceText(AttributeKeys.serviceName)
    }
}

extension String {
    /// The text as the name of an app, a version or a build. Pages list many names, so long ones
    /// are truncated.
    fileprivate var listedName: String {
        let text = replacingNUL
        return text.utf8.count <= 256
            ? text : String(UnicodeScalarView(text.unicodeScalars.prefix(256)))
    }

    /// The text with each NUL replaced by U+FFFD, because SQLite ends a string at its first NUL.
    fileprivate var replacingNUL: String {
        utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self
    }
}
