import DebugFiles
import Foundation

/// A debug file together with its supplementary file of `dwz`, if it has one that was found.
///
/// The build ID in the link decides whether a file is the right one, and never its name.
struct JoinedSupplement {
    let file: DebugFile
    /// The state of the supplementary file, which the index depends on, or `nil` if none was joined.
    let part: FileStatus?

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
        for candidate in found.map(\.path) + recorded {
            guard let status = try? FileStatus(of: candidate), status.kind == .file else {
                continue
            }
            do {
                self.file = try file.joined(withSupplement: Self.file(at: candidate))
                part = status
                return
            } catch { problem = problem ?? "\(error)" }
        }
        self.file = problem.map(file.warned(ofSupplement:)) ?? file
        part = nil
    }

    private static func file(at path: String) throws -> DebugFile {
        let contents = try DebugFile.slices(of: MappedFile.bytes(of: path), name: path)
        guard let file = contents.files.first
        else { throw DebugFileError(.unrecognised, name: path) }
        return file
    }

    /// Returns the places that a recorded path refers to. A relative one starts at the debug file,
    /// for links in a `.build-id` tree at the file that the link leads to.
    private static func recordedPaths(of name: String, from path: String) -> [String] {
        guard !name.isEmpty else { return [] }
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let folders = (target == path ? [path] : [path, target]).map { path in
            path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        }
        let base = name.split(separator: "/").last ?? ""
        let recorded = name.hasPrefix("/") ? [name] : folders.map { "\($0)/\(name)" }
        return recorded + folders.map { "\($0)/\(base)" }
    }
}
