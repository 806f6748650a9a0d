import CallStacks
import CrashFiles
import JSONText
import StackRendering
import SymbolStores

extension JSONWriter {
    /// A report as ``InspectionJSON`` has it.
    mutating func write(_ report: InspectedReport, showsFrames: Bool) {
        let details = report.answer.details
        beginObject()
        member("path", report.name)
        member("format", report.format.rawValue)
        member("kind", report.answer.kind.rawValue)
        member("title", report.answer.title)
        member("app", details.bundleIdentifier)
        member("version", details.appVersion)
        member("build", details.appBuild)
        member("os", details.osVersion)
        member("device", details.deviceType)
        member("arch", details.architecture)
        member("time", details.timestamp)
        member("frames", UInt64(clamping: report.frameCount))
        array("remarks", report.answer.remarks) { $0.string($1.rawValue) }
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
    /// Whether there are symbols, in one of few words.
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
