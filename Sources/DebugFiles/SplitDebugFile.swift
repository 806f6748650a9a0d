import Dwarf

/// What a file may hold of split DWARF: units that a compiler split off from those of an image
/// (`-gsplit-dwarf`), so that linkers need not copy them.
public enum SplitUnitsKind: UInt8, Hashable, Sendable {
    /// Those of one object file, as a `.dwo` file has them.
    case object = 1
    /// Those of a whole image, as a `.dwp` file has them.
    case package
}

/// A unit that was split off from a debug file.
public struct SplitUnitReference: Hashable, Sendable {
    let reference: SplitReference

    /// The name of its `.dwo` file without the folders that it was built in.
    public var fileName: String {
        reference.fileName.split(separator: "/").last.map(String.init) ?? ""
    }
}

/// A `.dwo` file or a package of them, with what its units are found by.
public struct SplitDebugFile: Sendable {
    let file: SplitFile

    /// - Parameter name: What errors call the file.
    /// - Throws: When no unit can be found in it.
    public init(_ file: DebugFile, name: String) throws(DebugFileError) {
        do throws(DwarfError) {
            self.file = try SplitFile { file.inflatedSections(isSplit: true).sections }
        } catch { throw DebugFileError(.splitUnits(error.description), name: name) }
    }

    /// Whether the unit that is referred to is here.
    public func holds(_ unit: SplitUnitReference) -> Bool { file.holds(unit.reference) }
}

extension DebugFile {
    /// The units that were split off from the file; none for nearly all files.
    ///
    /// An object file's references are not relocated yet, so that the names would be wrong.
    ///
    /// Costs a look at the head of each unit, and inflating them where they are compressed.
    public var splitUnitReferences: [SplitUnitReference] {
        guard hasDebugInformation, kind.isELF, kind != .elfObject else { return [] }
        let sections = inflatedSections { $0 != .line }.sections
        let reader = DwarfReader(sections: sections, layout: layout, architecture: architecture)
        return reader.splitReferences().map { SplitUnitReference(reference: $0) }
    }

    /// The same file, read together with the units that were split off from it.
    ///
    /// - Parameters:
    ///   - files: Where they are. What belongs to other files does no harm.
    ///   - problems: Why there are not more of them.
    public func joined(
        with files: [SplitDebugFile], problems: [DebugFileWarning] = []
    ) -> DebugFile {
        var joined = self
        joined.splitFiles += files
        joined.warnings += problems
        return joined
    }

    /// The files to read together with this one. A debug file may hold all by itself, where a package
    /// was merged into it.
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
