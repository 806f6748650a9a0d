import CallStacks
import Foundation
import HTTPTypes
import LogExtraction
import MetricKitPayloads
import Problems
import ReportFormats
import ReportProcessing
import SymbolIntake

/// Reads dropped files as reports or symbols, depending on their content.
struct DropReader {
    let processor: ReportProcessor
    let intake: UploadIntake
    let caller: Caller
    /// The maximum size of a file that is read as a report, in bytes, before and after
    /// decompression.
    let reportLimit: Int
    let memory: RequestMemoryBudget

    /// The scopes that allow reading a report. Any one of them is sufficient.
    static let reportScopes: Set<TokenScope> = [.ingest, .read]
    /// The maximum numbers of lines and characters that are quoted of an unknown file.
    private static let quotedLines = 5
    private static let quotedCharacters = 400

    /// - Parameters:
    ///   - files: The received files. Their names may be paths.
    ///   - options: The owner and the build of symbols.
    func read(_ files: [IncomingFile], options: UploadOptions) async throws -> DroppedFiles {
        var dropped = DroppedFiles()
        // Symbol bundles come first: a stripped copy of an image is a duplicate after its dSYM, but
        // would be rejected as useless before it.
        let symbols = files.filter { Self.isInSymbolBundle($0.name) }
        for file in symbols + files.filter({ !Self.isInSymbolBundle($0.name) }) {
            let size = Self.size(of: file.path)
            guard size > 0 else { continue }
            let content = ReceivedContent(fileAt: file.path)
            if content != .debugFile, size <= reportLimit,
                try readReport(file, size, into: &dropped)
            {
                continue
            }
            try await readSymbols(file, content, options, into: &dropped)
        }
        dropped.arrival = UnixTime.now()
        return dropped
    }

    private static func isInSymbolBundle(_ path: String) -> Bool { path.contains(".dSYM/") }

    /// Reads a file as a report, or as an archive of reports.
    ///
    /// - Returns: `false` if it has none.
    private func readReport(
        _ file: IncomingFile, _ size: Int, into dropped: inout DroppedFiles
    ) throws -> Bool {
        try memory.reserve(size)
        defer { memory.release(size) }
        guard let data = FileManager.default.contents(atPath: file.path) else { return false }
        let found: [ParsedReportFile]
        do throws(ReportFinder.Failure) {
            found = try ReportFinder.files(
                in: [UInt8](data), name: file.name, byteLimit: reportLimit, processor: processor)
        } catch {
            return false
        }
        guard !caller.scopes.isDisjoint(with: Self.reportScopes) else {
            throw RequestError(
                .forbidden, "scope_missing",
                Problem(
                    "\(file.name)", detail: "the token does not have scope 'ingest' or 'read'",
                    suggestion: "use another token"),
                callerName: caller.name)
        }
        dropped.reportFiles += found.map { .init(name: file.name, parsed: $0) }
        return true
    }

    private func readSymbols(
        _ file: IncomingFile, _ content: ReceivedContent, _ options: UploadOptions,
        into dropped: inout DroppedFiles
    ) async throws {
        // Bundles have files that are neither symbols nor reports.
        if content != .debugFile, Self.isInBundle(file.name) { return }
        guard caller.scopes.contains(.upload) || content != .debugFile else {
            throw RequestError(
                .forbidden, "scope_missing",
                Problem(
                    "\(file.name)", detail: "the token does not have scope 'upload'",
                    suggestion: "use another token"),
                callerName: caller.name)
        }
        let start = Self.start(of: file.path)
        guard caller.scopes.contains(.upload), content != .other else {
            return dropped.addUnknown(file.name, Self.quoted(start))
        }
        let results = try await intake.process(
            fileAt: file.path, named: file.name, options: options)
        let isRejected = results.allSatisfy { $0.status == .rejected }
        if isRejected, content != .debugFile {
            return dropped.addUnknown(file.name, Self.quoted(start))
        }
        dropped.results += results.map(DroppedFiles.Result.init)
    }

    private static func size(of path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.size] as? Int ?? 0
    }

    /// Returns the first bytes of a file.
    private static func start(of path: String) -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else { return [] }
        return [UInt8]((try? file.read(upToCount: 4_096)) ?? Data())
    }

    /// Whether a path leads into a bundle.
    static func isInBundle(_ path: String) -> Bool {
        path.split(separator: "/").dropLast().contains { part in
            [".dSYM", ".xcarchive", ".app", ".framework", ".bundle"].contains { part.hasSuffix($0) }
        }
    }

    /// Returns the first lines of a text, or an empty text for a binary file.
    private static func quoted(_ bytes: [UInt8]) -> String {
        guard !bytes.contains(0) else { return "" }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", maxSplits: quotedLines, omittingEmptySubsequences: false)
        return String(lines.prefix(quotedLines).joined(separator: "\n").prefix(quotedCharacters))
    }
}

extension DroppedFiles {
    /// The maximum length of a shown name, in bytes.
    private static let nameBytesLimit = 1_024

    fileprivate mutating func addUnknown(_ name: String, _ lines: String) {
        let shownName = String(decoding: name.utf8.prefix(Self.nameBytesLimit), as: UTF8.self)
        unknown.append((shownName, lines))
    }
}

extension DroppedFiles.Result {
    fileprivate init(_ result: IntakeResult) {
        self.init(
            name: result.name, image: result.image, architecture: result.architecture,
            status: result.status.rawValue, reason: result.reason)
    }
}
