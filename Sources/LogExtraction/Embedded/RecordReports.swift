public import CallStacks
public import MetricKitPayloads
import ReportFormats

/// Crash reports that log records have as their stack, beside MetricKit's.
public enum RecordReports {
    /// The formats whose frames have image identities.
    private static let formats: Set<CrashFormat> = [.ips, .crashText, .swiftText, .swiftJSON]

    /// Returns the reports in a stack, or none if it also has other text, such as the stack of
    /// another language.
    ///
    /// - Parameter stack: UTF-8 text.
    @Sendable public static func diagnostics(
        in stack: [UInt8], limits: PayloadLimits
    ) -> [Diagnostic] {
        // Without a list of images, no frame can be looked up.
        guard listsImages(stack) else { return [] }
        let context = ReadingContext(processes: .target, limits: limits)
        var parser = CrashFileParser(stack, context: context, isNested: true)
        parser.read(0..<stack.count)
        let reports = parser.file.reports.filter {
            formats.contains($0.format) && !$0.imageIDs.isEmpty
        }
        guard let first = reports.first, let last = reports.last,
            isPreamble(stack[..<first.range.lowerBound]),
            // An `.ips` may have a `System Profile` after its JSON.
            last.format == .ips || isBlank(stack[last.range.upperBound...])
        else { return [] }
        return reports.map { $0.resolved() }
    }

    /// What `Binary Images:`, `Images (2 omitted):`, `"usedImages"` and `"images"` have in common.
    private static let imageList = Array("mages".utf8)

    private static func listsImages(_ stack: [UInt8]) -> Bool {
        stack.indices.contains {
            stack[$0] == imageList[0] && stack[$0...].starts(with: imageList)
        }
    }

    /// Whether a text belongs to the report after it: it is the header of an `.ips`, or messages of
    /// a Swift program.
    private static func isPreamble(_ text: ArraySlice<UInt8>) -> Bool {
        text.split(separator: .newline).allSatisfy { line in
            isBlank(line) || line.trimmed.first == UInt8(ascii: "{")
                || SwiftPreamble.isMessage(line)
        }
    }

    private static func isBlank(_ text: ArraySlice<UInt8>) -> Bool {
        text.allSatisfy { $0 <= 0x20 }
    }
}
