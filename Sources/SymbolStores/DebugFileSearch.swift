import DebugFiles
import Foundation

/// Finds the files below some paths that may hold symbols, by their first bytes.
///
/// A path may be a file, a `.dSYM` bundle or any folder of them. Nothing but folders and four bytes
/// of each file is read.
struct DebugFileSearch {
    /// A file that may hold symbols.
    struct Candidate {
        let path: String
        /// Whether the caller named the file itself, and not a folder above it.
        let isNamedByCaller: Bool
    }

    /// Each file once, in the order of the walk.
    private(set) var files: [Candidate] = []
    /// What could not be read.
    private(set) var problems: [SymbolProblem] = []

    private let named: Set<String>
    private var pending: [String] = []
    private var seen: Set<FileStatus> = []

    /// The deepest folder that is entered, counted in path components.
    static let depthLimit = 256

    init(_ paths: [String]) {
        named = Set(paths.map(Self.withoutTrailingSlash))
        for path in paths.map(Self.withoutTrailingSlash) {
            visit(path)
            while let folder = pending.popLast() { visitFolder(folder) }
        }
    }

    /// A path that the caller named: a file without symbols is a failure there.
    private mutating func visit(_ path: String) {
        do {
            let status = try FileStatus(of: path)
            if status.kind == .folder {
                pending.append(path)
            } else {
                try add(path, status, isNamedByCaller: true)
            }
        } catch {
            problems.append(SymbolProblem(error, isNamedByCaller: true))
        }
    }

    private mutating func visitFolder(_ folder: String) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            problems.append(
                SymbolProblem(
                    SymbolStoreError(
                        folder, "folder cannot be read", next: "check its permissions"),
                    isNamedByCaller: named.contains(folder)))
            return
        }
        for name in names where !Self.isSkipped(name) {
            visitEntry("\(folder)/\(name)")
        }
    }

    /// An entry of a folder. Links to folders are not followed: they may lead anywhere, even back.
    private mutating func visitEntry(_ path: String) {
        do {
            let entry = try FileStatus(of: path, followingLinks: false)
            let status = entry.kind == .link ? try FileStatus(of: path) : entry
            if status.kind == .file {
                try add(path, status, isNamedByCaller: false)
            } else if entry.kind == .folder, Self.depth(of: path) < Self.depthLimit {
                pending.append(path)
            }
        } catch {
            problems.append(SymbolProblem(error, isNamedByCaller: false))
        }
    }

    private mutating func add(
        _ path: String, _ status: FileStatus, isNamedByCaller: Bool
    ) throws(SymbolStoreError) {
        guard seen.insert(status).inserted else { return }
        let isCandidate = try Self.looksLikeDebugFile(path)
        if isNamedByCaller || isCandidate {
            files.append(Candidate(path: path, isNamedByCaller: isNamedByCaller))
        }
    }

    private static func depth(of path: String) -> Int {
        path.utf8.count { $0 == UInt8(ascii: "/") }
    }

    private static func looksLikeDebugFile(_ path: String) throws(SymbolStoreError) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw SymbolStoreError(path, "cannot be read", next: "check its permissions")
        }
        defer { try? file.close() }
        guard let start = try? file.read(upToCount: 4), start.count == 4 else { return false }
        return magics.contains(Array(start))
    }

    /// Mach-O of either width and byte order, fat and fat64, and ELF.
    private static let magics: Set<[UInt8]> = [
        [0xfe, 0xed, 0xfa, 0xce], [0xce, 0xfa, 0xed, 0xfe], [0xfe, 0xed, 0xfa, 0xcf],
        [0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe], [0xca, 0xfe, 0xba, 0xbf],
        [0x7f, 0x45, 0x4c, 0x46],
    ]

    /// What archives and the Finder leave in folders.
    private static func isSkipped(_ name: String) -> Bool {
        name == "__MACOSX" || name == ".DS_Store" || name.hasPrefix("._")
    }

    private static func withoutTrailingSlash(_ path: String) -> String {
        guard path.count > 1, path.hasSuffix("/") else { return path }
        return String(path.dropLast(path.reversed().prefix { $0 == "/" }.count))
    }
}

extension DebugFileSearch.Candidate {
    /// The slices of the file, or `nil` for a file in a folder that only looked like a debug file, as
    /// Java classes do.
    func contents() throws(SymbolStoreError) -> DebugFileContents? {
        let bytes = try MappedFile.bytes(of: path)
        do {
            return try DebugFile.slices(of: bytes, name: path)
        } catch {
            if error.reason == .unrecognised, !isNamedByCaller { return nil }
            let next = error.reason == .unrecognised ? "give a dSYM or a debug file" : nil
            throw SymbolStoreError(path, error.reason.description, next: next)
        }
    }
}
