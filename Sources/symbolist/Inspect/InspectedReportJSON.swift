import CallStacks
import JSONText
import ReportFormats
import StackRendering
import SymbolStores

extension JSONWriter {
    /// Writes a report as an element of `"reports"` in ``InspectionJSON``.
    mutating func write(_ report: InspectedReport, showsFrames: Bool) {
        let details = report.withoutSymbols.details
        beginObject()
        member("path", report.name)
        member("format", report.format.rawValue)
        member("kind", report.withoutSymbols.kind.rawValue)
        member("title", report.withoutSymbols.title)
        member("app", details.bundleIdentifier)
        member("version", details.appVersion)
        member("build", details.appBuild)
        member("os", details.osVersion)
        member("device", details.deviceType)
        member("arch", details.architecture)
        member("time", details.timestamp)
        member("frames", UInt64(clamping: report.frameCount))
        array("remarks", report.withoutSymbols.remarks) { $0.string($1.rawValue) }
        array("images", report.images) { $0.write($1) }
        if showsFrames { member("stacks", framesOf: report.diagnostic.tree) }
        endObject()
    }

    mutating func write(_ image: InspectedReport.Image) {
        beginObject()
        member("uuid", image.wanted.id?.description)
        member("name", image.wanted.name)
        member("arch", image.wanted.architecture)
        member("frames", UInt64(clamping: image.frameCount))
        member("status", image.status)
        member("verdict", image.verdict?.name)
        member("path", image.verdict?.path)
        member("reason", image.verdict?.reason)
        endObject()
    }
}

extension InspectedReport.Image {
    /// The `"status"` of an image.
    fileprivate var status: String? {
        if wanted.id == nil { return "no_uuid" }
        return switch verdict {
        case .served, .poor: "found"
        case .rebuilt, .otherArchitecture, .absent: "missing"
        case .unidentified: "no_uuid"
        case nil: nil
        }
    }
}
