public import CallStacks
import FoundationEssentials
import Glibc

/// Folders of source files, in which those that debug information names are looked for.
///
/// Debug information has the paths of the machine that compiled. Below each folder their ends are
/// tried, the longest first: of `/Users/ci/shop/Cart/Total.swift` a folder may hold
/// `Users/ci/shop/Cart/Total.swift`, …, `Cart/Total.swift` or `Total.swift`. Nothing outside of the
/// folders is ever opened, whatever a path says or a link points at.
public struct SourceFolders: Sendable {
    /// The largest source file that is read, in bytes.
    public static let byteLimit: Int64 = 4 << 20
    /// How many components of a path are tried.
    static let componentLimit = 64

    /// Without links.
    private let roots: [String]

    /// - Throws: For a path that is no folder.
    public init(_ paths: [String]) throws(SymbolStoreError) {
        var roots: [String] = []
        for path in paths {
            guard let root = Self.withoutLinks(path), (try? FileStatus(of: root))?.kind == .folder
            else {
                throw SymbolStoreError(
                    path, "is no folder", next: "give the folder that the sources are in")
            }
            roots.append(root)
        }
        self.roots = roots
    }

    public var isEmpty: Bool { roots.isEmpty }

    /// The text of a source file; `nil` where none of the folders has it.
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

    /// The names in a path of any system, with `..` already followed.
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
        guard let place = withoutLinks(path), place.hasPrefix(root == "/" ? root : root + "/"),
            let status = try? FileStatus(of: place), status.kind == .file,
            status.size <= byteLimit, let content = FileManager.default.contents(atPath: place)
        else { return nil }
        return SourceText(Array(content))
    }

    /// `nil` where nothing is.
    private static func withoutLinks(_ path: String) -> String? {
        guard !path.utf8.contains(0), let place = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(place) }
        return unsafe String(validatingCString: place)
    }
}

/// A source file's text.
public struct SourceText: Sendable {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Lines of the text, without their ends; `nil` where it has no line of that number.
    ///
    /// - Parameters:
    ///   - number: Counted from 1.
    ///   - margin: How many lines to give before and after, where there are so many.
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
