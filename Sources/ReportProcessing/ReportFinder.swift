public import LogExtraction
import MetricKitPayloads
public import Problems
import ReportFormats

/// Finds the files with reports in bytes that may be compressed or an archive.
///
/// Problems with single files are errors only if no report is found.
public struct ReportFinder {
    /// Why no report was found.
    public enum Failure: Error {
        /// The bytes cannot be unpacked, or exceed the limit when unpacked.
        case unpacking(UnpackingError)
        /// The file has no report. There is a reason for a single file, and for the first damaged
        /// file or unsupported report of an archive.
        case noReport(reason: Problem?)
    }

    private let processor: ReportProcessor
    private var files: [ParsedReportFile] = []
    private var problem: Problem?

    /// Returns the files with reports, in order.
    ///
    /// - Parameters:
    ///   - bytes: A file, which may be compressed, or an archive.
    ///   - name: The name of `bytes` in errors.
    ///   - byteLimit: The maximum unpacked size.
    ///   - processor: Reads and redacts each file.
    /// - Throws: ``Failure`` if the file has no report or exceeds a limit.
    public static func files(
        in bytes: [UInt8], name: String, byteLimit: Int, processor: ReportProcessor
    ) throws(Failure) -> [ParsedReportFile] {
        var finder = Self(processor: processor)
        do throws(UnpackingError) {
            let held = try ReceivedFile(
                bytes, name: name, limits: .ofReports(unpackingTo: Int64(byteLimit)),
                fileLimit: byteLimit)
            switch consume held {
            case .single(let file): finder.add(file, isSingle: true)
            case .archive(var members):
                while let finding = members.next() { try finder.add(finding) }
            }
        } catch { throw .unpacking(error) }
        if finder.files.isEmpty { throw .noReport(reason: finder.problem) }
        return finder.files
    }

    private init(processor: ReportProcessor) { self.processor = processor }

    private mutating func add(_ finding: ArchivedFiles.Finding) throws(UnpackingError) {
        switch finding {
        case .file(_, let file): add(file)
        case .problem(let error):
            if error.reason != .unreadable { throw error }
            problem = problem ?? error.problem
        }
    }

    private mutating func add(_ received: DecodedFile, isSingle: Bool = false) {
        let file = processor.read(received)
        if !file.content.reports.isEmpty {
            files.append(file)
        } else if let damage = received.damage {
            problem = problem ?? damage
        } else if isSingle || file.content.hasUnsupportedReport {
            problem = problem ?? file.content.unread.first?.problem
        }
    }
}
