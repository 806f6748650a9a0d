import DebugFiles
import Foundation

/// A debug file together with its supplementary file of `dwz`, if it has one that was found.
///
/// The build ID in the link decides whether a file is the right one, and never its name.
struct JoinedSupplement {
    let file: DebugFile
    /// The supplementary file, or `nil` if none was joined.
    let part: JoinedDebugFile.Part?

    /// - Parameters:
    ///   - path: The path of `file`.
    ///   - found: Files with the build ID of the supplementary file.
    ///   - isExplicit: Whether the file is listed explicitly, so that the supplementary file is also
    ///     searched at the recorded path.
    init(
        _ file: DebugFile, at path: String, among found: [SplitFileInventory.File],
        isExplicit: Bool
    ) {
        guard let link = file.supplementLink else {
            self.file = file
            part = nil
            return
        }
        let recorded = isExplicit ? Self.recordedPaths(of: link.fileName, from: path) : []
        var problem: String?
        for candidate in found + recorded {
            guard let status = try? FileStatus(of: candidate.path), status.kind == .file else {
                continue
            }
            do {
                self.file = try file.joined(withSupplement: Self.debugFile(in: candidate))
                part = JoinedDebugFile.Part(file: candidate, status: status)
                return
            } catch { problem = problem ?? "\(error)" }
        }
        self.file = problem.map(file.warned(ofSupplement:)) ?? file
        part = nil
    }

    private static func debugFile(in candidate: SplitFileInventory.File) throws -> DebugFile {
        let contents = try DebugFile.slices(
            of: MappedFile.bytes(of: candidate.path), name: candidate.name)
        guard let file = contents.files.first
        else { throw DebugFileError(.unrecognised, name: candidate.name) }
        return file
    }

    /// Returns the places that a recorded path refers to. A relative one starts at the debug file,
    /// for links in a `.build-id` tree at the file that the link leads to.
    private static func recordedPaths(
        of name: String, from path: String
    ) -> [SplitFileInventory.File] {
        guard !name.isEmpty else { return [] }
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let folders = (target == path ? [path] : [path, target]).map { path in
            path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        }
        let base = name.split(separator: "/").last ?? ""
        let recorded = name.hasPrefix("/") ? [name] : folders.map { "\($0)/\(name)" }
        return (recorded + folders.map { "\($0)/\(base)" }).map {
            SplitFileInventory.File(path: $0, name: $0)
        }
    }
}
