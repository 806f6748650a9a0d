import Dwarf

extension DebugFile {
    /// Returns the file joined with its supplementary file.
    ///
    /// - Throws: ``DebugFileError`` if `file` is not the one that ``supplementLink`` names, or if its
    ///   debug information is unreadable.
    public func joined(withSupplement file: DebugFile) throws(DebugFileError) -> DebugFile {
        let name = supplementLink?.fileName ?? ""
        guard let id = supplementLink?.id, file.id == id,
            file.container.isBigEndian == container.isBigEndian
        else { throw DebugFileError(.otherSupplement, name: name) }
        var joined = self
        do throws(DwarfError) {
            joined.supplement = try SupplementaryFile(file.inflatedSections().sections)
        } catch { throw DebugFileError(.supplement(error.description), name: name) }
        joined.warnings.removeAll { $0.code == .dwzAlternateMissing }
        return joined
    }

    /// Returns the file with a warning about its supplementary file.
    public func warned(ofSupplement problem: String) -> DebugFile {
        var warned = self
        warned.warnings.append(DebugFileWarning(.dwzAlternateMissing, problem))
        return warned
    }
}
