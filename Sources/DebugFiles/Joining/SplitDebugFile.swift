import Dwarf

/// The kind of a file with split DWARF, which consists of units that a compiler stored separately
/// from the image (`-gsplit-dwarf`), so that linkers need not copy them.
public enum SplitUnitsKind: UInt8, Hashable, Sendable {
    /// The split units of one object file (`.dwo`).
    case object = 1
    /// The split units of a whole image (`.dwp`).
    case package
}

/// A reference to a unit that was split off from a debug file.
public struct SplitUnitReference: Hashable, Sendable {
    let reference: SplitReference

    /// The name of its `.dwo` file, without the folders of the build.
    public var fileName: String {
        reference.fileName.split(separator: "/").last.map(String.init) ?? ""
    }

    /// Returns the paths where its `.dwo` file was written by the compiler: the recorded path, and the
    /// same below `folder`, for a build folder that was moved.
    public func recordedPaths(movedTo folder: String) -> [String] {
        let name = reference.fileName
        if name.isEmpty { return [] }
        if name.hasPrefix("/") { return [name] }
        let recorded = reference.folder.hasPrefix("/") ? ["\(reference.folder)/\(name)"] : []
        return recorded + ["\(folder)/\(name)"]
    }
}

/// A `.dwo` file or a package of them, with an index of its units.
public struct SplitDebugFile: Sendable {
    let file: SplitFile

    /// - Parameter name: The file's name in errors.
    /// - Throws: `DebugFileError` if no unit is found in it.
    public init(_ file: DebugFile, name: String) throws(DebugFileError) {
        do throws(DwarfError) {
            self.file = try SplitFile { file.inflatedSections(isSplit: true).sections }
        } catch { throw DebugFileError(.splitUnits(error.description), name: name) }
    }

    public func contains(_ unit: SplitUnitReference) -> Bool { file.contains(unit.reference) }
}

extension DebugFile {
    /// The kind of split units in the file to which other files refer, or `nil` if it has none.
    ///
    /// With `-gsplit-dwarf=single`, an object file has the split units of the linked image beside
    /// its own debug information. Those in a linked file come from a package that was merged into
    /// it, and only that file refers to them.
    public var splitUnitsOfOtherFiles: SplitUnitsKind? {
        hasDebugInformation && kind != .elfObject ? nil : splitUnits
    }

    /// References to the units split off from the file; empty for nearly all files, and for object
    /// files, whose references are not relocated yet.
    ///
    /// Reads the start of each unit, and inflates the sections if they are compressed.
    public var splitUnitReferences: [SplitUnitReference] {
        guard hasDebugInformation, kind.isELF, kind != .elfObject, hasAddressTable
        else { return [] }
        let sections = inflatedSections { $0 != .line }.sections
        let reader = DwarfReader(sections: sections, layout: layout, architecture: architecture)
        return reader.splitReferences().map { SplitUnitReference(reference: $0) }
    }

    /// Whether the file has the section with the addresses of split units, without which none of them
    /// has code.
    private var hasAddressTable: Bool {
        (try? container.debugSection(DwarfSections.Name.addr.rawValue)) != nil
    }

    /// Returns the file joined with its split units.
    ///
    /// - Parameters:
    ///   - files: Files with split units. Those of other images are ignored.
    ///   - problems: Warnings about missing ones.
    public func joined(
        with files: [SplitDebugFile], problems: [DebugFileWarning]
    ) -> DebugFile {
        var joined = self
        joined.splitFiles += files
        joined.warnings += problems
        return joined
    }

    /// The split files to read together with this one. A debug file may contain its own, if a
    /// package was merged into it.
    var allSplitFiles: SplitFiles {
        var all = SplitFiles()
        if splitUnits != nil, hasDebugInformation,
            let own = try? SplitDebugFile(self, name: "")
        {
            all.add(own.file)
        }
        for each in splitFiles { all.add(each.file) }
        return all
    }
}
