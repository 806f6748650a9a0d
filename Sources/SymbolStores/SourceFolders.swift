public import CallStacks
import FoundationEssentials
import Glibc

/// Folders that are searched for the source files named in debug information.
///
/// Debug information has the paths of the build machine. In each folder, the suffixes of a path are
/// tried, longest first: for `/Users/ci/shop/Cart/Total.swift`, these are
/// `Users/ci/shop/Cart/Total.swift`, …, `Cart/Total.swift` and `Total.swift`. No file outside the
/// folders is ever opened, whatever a path contains or a link points to.
public struct SourceFolders: Sendable {
    /// The maximum size of a source file, in bytes.
    public static let byteLimit: Int64 = 4 << 20
    /// The maximum number of path components that are tried.
    static let componentLimit = 64

    /// The folders, with links resolved.
    private let roots: [String]

    /// - Throws: ``SymbolStoreError`` if a path is not a folder.
    public init(_ paths: [String]) throws(SymbolStoreError) {
        var roots: [String] = []
        for path in paths {
            guard let root = Self.withoutLinks(path), (try? FileStatus(of: root))?.kind == .folder
            else {
                throw SymbolStoreError(
                    path, detail: "is not a folder",
                    suggestion: "use the folder that contains the sources")
            }
            roots.append(root)
        }
        self.roots = roots
    }

    public var isEmpty: Bool { roots.isEmpty }

    /// Returns the text of a source file, or `nil` if none of the folders contains it.
    public func text(of file: SourceFile) -> SourceText? {
        let components = Self.components(of: file.path).suffix(Self.componentLimit)
        for root in roots {
            for first in components.indices {
                let path = root + "/" + components[first...].joined(separator: "/")
                if let text = Self.text(at: path, below: root) { return text }
            }
        }
        return nil
    }

    /// Returns the components of a path of any system, with `..` resolved.
    private static func components(of path: String) -> [Substring] {
        var components: [Substring] = []
        for component in path.split(whereSeparator: { $0 == "/" || $0 == "\\" }) {
            switch component {
            case ".": break
            case "..": _ = components.popLast()
            default: components.append(component)
            }
        }
        return components
    }

    private static func text(at path: String, below root: String) -> SourceText? {
        guard let resolved = withoutLinks(path),
            resolved.hasPrefix(root == "/" ? root : root + "/"),
            let status = try? FileStatus(of: resolved), status.kind == .file,
            status.size <= byteLimit, let content = FileManager.default.contents(atPath: resolved)
        else { return nil }
        return SourceText(Array(content))
    }

    /// Resolves the links in a path. Returns `nil` if it does not exist.
    private static func withoutLinks(_ path: String) -> String? {
        guard !path.utf8.contains(0), let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(validatingCString: resolved)
    }
}

/// The text of a source file.
public struct SourceText: Sendable {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns lines of the text without line endings, or `nil` if there is no line of that number.
    ///
    /// - Parameters:
    ///   - number: The line number, starting at 1.
    ///   - margin: The maximum number of lines before and after it.
    public func lines(
        around number: UInt32, margin: UInt32
    ) -> (first: UInt32, texts: [String])? {
        guard number > 0 else { return nil }
        let first = number - min(margin, number - 1)
        let wanted = UInt64(first)...(UInt64(number) + UInt64(margin))
        var texts: [String] = []
        var (line, start) = (UInt64(1), 0)
        while start < bytes.count, line <= wanted.upperBound {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            if wanted.contains(line) { texts.append(Self.text(bytes[start..<end])) }
            start = end + 1
            line += 1
        }
        return texts.count > Int(number - first) ? (first, texts) : nil
    }

    private static func text(_ line: ArraySlice<UInt8>) -> String {
        let content = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        return String(decoding: content, as: UTF8.self)
    }
}
