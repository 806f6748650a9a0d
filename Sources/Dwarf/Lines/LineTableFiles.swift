import ByteReading
import CallStacks

/// The files of a line table, by the numbers in rows and calls.
///
/// Each is passed to the sink once, on first use.
struct LineTableFiles {
    private let header: LineProgramHeader
    private let sections: DwarfSections
    private let compilationFolder: [UInt8]
    private let budget: WorkBudget
    /// The sink's numbers by file number, or ``Known/no`` for files not used yet.
    private var numbers: [Known]

    private enum Known {
        case no
        case yes(FileNumber?)
    }

    /// The maximum length of a path, in bytes. A longer one is ignored.
    static let pathLimit = 4096

    /// - Parameters:
    ///   - compilationFolder: `DW_AT_comp_dir` of the unit, or empty if it has none.
    ///   - budget: The budget for paths. Files may share folders, and names may overlap, so a small
    ///     table can have gigabytes of paths.
    init(
        _ header: LineProgramHeader, in sections: DwarfSections, compilationFolder: [UInt8],
        budget: WorkBudget
    ) {
        self.header = header
        self.sections = sections
        self.compilationFolder = compilationFolder
        self.budget = budget
        numbers = Array(repeating: .no, count: header.files.count + 1)
    }

    /// Returns the sink's number of file `number`, or `nil` if the table has no such file.
    mutating func number(
        of number: UInt32, in sink: inout any DebugRecordSink
    ) throws(DwarfError) -> FileNumber? {
        let index = Int(number)
        guard index < numbers.count else { return nil }
        if case .yes(let known) = numbers[index] { return known }
        let found = try path(of: number).map { path in
            sink.number(ofFile: path.name.span, folder: path.folder.span)
        }
        numbers[index] = .yes(found)
        return found
    }

    /// Returns the sink's numbers of the files in `program`, by their numbers in the table.
    mutating func numbers(
        usedBy program: LineProgram, in sink: inout any DebugRecordSink
    ) throws(DwarfError) -> [FileNumber?] {
        var found = [FileNumber?](repeating: nil, count: numbers.count)
        for file in program.filesNamed where file < found.count {
            found[Int(file)] = try number(of: file, in: &sink)
        }
        return found
    }

    private func path(of number: UInt32) throws(DwarfError) -> SourcePath? {
        guard let entry = header.file(numbered: UInt64(number)), let name = text(entry.name),
            !name.isEmpty
        else { return nil }
        // Directory 0 of version 5 is the compilation folder. If it is relative, joining it to
        // itself would repeat it.
        let isComplete = header.version >= 5 && entry.directory == 0
        let parts = [isComplete ? [] : compilationFolder, folder(of: entry) ?? [], name]
        try budget.spend(parts.reduce(0) { $0 + UInt64($1.count) })
        let path = SourcePath.join(parts)
        guard path.count <= Self.pathLimit else { return nil }
        return SourcePath(splitting: path)
    }

    /// Returns the folder of an entry, not yet joined to the compilation folder.
    private func folder(of entry: LineProgramHeader.FileEntry) -> [UInt8]? {
        let first: UInt64 = header.version >= 5 ? 0 : 1
        guard entry.directory >= first,
            entry.directory - first < UInt64(header.directories.count)
        else { return nil }
        return text(header.directories[Int(entry.directory - first)])
    }

    private func text(_ reference: LineProgramHeader.TextReference?) -> [UInt8]? {
        guard let reference else { return nil }
        let section = sections.bytes(reference.section)
        guard let range = try? section.textRange(at: reference.offset, limit: Self.pathLimit)
        else { return nil }
        return section.withSpan(of: range) { span in
            unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
        }
    }
}

/// A path in the debug information, split into folder and last component. `.` and `..` are kept.
struct SourcePath: Hashable {
    let folder: [UInt8]
    let name: [UInt8]

    private static let slash = UInt8(ascii: "/")
    private static let backslash = UInt8(ascii: "\\")

    /// Joins the parts of a path, starting with the last absolute one.
    static func join(_ parts: [[UInt8]]) -> [UInt8] {
        let first = parts.lastIndex(where: isAbsolute) ?? 0
        var path: [UInt8] = []
        for part in parts[first...] where !part.isEmpty {
            if let last = path.last, last != slash, last != backslash {
                path.append(isWindows(path) && !path.contains(slash) ? backslash : slash)
            }
            path += part
        }
        return path
    }

    /// Splits at the last separator, which stays with the folder if a `/` in its place would change
    /// the path.
    init(splitting path: [UInt8]) {
        let isWindows = Self.isWindows(path)
        let separator = path.lastIndex { $0 == Self.slash || (isWindows && $0 == Self.backslash) }
        guard let separator else {
            folder = []
            name = path
            return
        }
        let isKept = separator == 0 || path[separator] == Self.backslash
        folder = Array(path[..<(isKept ? separator + 1 : separator)])
        name = Array(path[(separator + 1)...])
    }

    private static func isAbsolute(_ path: [UInt8]) -> Bool {
        path.first == slash || isWindows(path)
    }

    /// Whether a path starts like an absolute Windows path: `C:\`, `C:/` or `\\`.
    private static func isWindows(_ path: [UInt8]) -> Bool {
        guard path.count >= 2 else { return false }
        if path[0] == backslash, path[1] == backslash { return true }
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(path[0] | 0x20)
        return path.count >= 3 && isLetter && path[1] == UInt8(ascii: ":")
            && (path[2] == slash || path[2] == backslash)
    }
}
