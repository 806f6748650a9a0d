import CrashFiles
import HTTPTypes
import MetricKitPayloads

/// A file with reports: the one that was sent, or one of the archive that was.
struct ReportFile {
    let unwrapped: UnwrappedFile
    let content: CrashFile

    /// All that a body holds, in their order.
    ///
    /// - Parameter byteLimit: The most bytes that the body is unpacked to.
    /// - Throws: Where there is none, or more than the limit.
    static func all(
        in body: [UInt8], byteLimit: Int, _ reader: CrashFileReader
    ) throws(RequestError) -> [Self] {
        var finder = ReportFinder(reader: reader)
        do throws(HeldFileError) {
            let held = try HeldFile(
                body, name: "body", limits: .ofReports(unpackingTo: Int64(byteLimit)),
                fileLimit: byteLimit)
            switch consume held {
            case .single(let file): finder.read(file)
            case .archive(var files): while let finding = files.next() { try finder.read(finding) }
            }
        } catch {
            throw RequestError(error)
        }
        if finder.files.isEmpty { throw .noReport(because: finder.problem) }
        return finder.files
    }
}

/// Keeps the files that hold reports. What cannot be read matters where there is nothing else.
private struct ReportFinder {
    let reader: CrashFileReader
    private(set) var files: [ReportFile] = []
    private(set) var problem: String?

    init(reader: CrashFileReader) { self.reader = reader }

    mutating func read(_ finding: ArchivedFiles.Finding) throws(HeldFileError) {
        switch finding {
        case .file(_, let file): read(file)
        case .problem(let error):
            if error.reason != .unreadable { throw error }
            problem = problem ?? error.description
        }
    }

    mutating func read(_ file: UnwrappedFile) {
        let content = reader.read(file)
        if !content.reports.isEmpty {
            files.append(ReportFile(unwrapped: file, content: content))
        } else if let damage = file.damage {
            problem = problem ?? damage
        } else if content.holdsRefusedReport {
            problem = problem ?? content.unread.first?.explanation
        }
    }
}

extension RequestError {
    fileprivate static func noReport(because problem: String?) -> Self {
        Self(
            .unprocessableContent, "no_diagnostic",
            problem ?? "body: holds no crash or hang report: send \(CrashFormat.allWords)")
    }

    fileprivate init(_ error: HeldFileError) {
        switch error.reason {
        case .unreadable: self = .badRequest("bad_compression", error.description)
        case .overLimit: self.init(.contentTooLarge, "body_too_large", error.description)
        case .noMemory: self = .unavailable(error.description, retryAfter: 30)
        }
    }
}
