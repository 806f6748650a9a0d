extension DwarfReader {
    /// Returns the references of the image's units to their split units, in order. Damaged units
    /// and those without code have none.
    ///
    /// It reads the first entry of each unit.
    public func splitReferences() -> [SplitReference] {
        guard let scan = try? scan() else { return [] }
        return sections.isBigEndian
            ? references(of: scan, through: LibDwarfSource.self)
            : references(of: scan, through: MappedSource.self)
    }

    private func references<Source: EntrySource>(
        of scan: UnitScan, through: Source.Type
    ) -> [SplitReference] {
        let budget = WorkBudget(from: WorkPool(size: sections.byteCount))
        guard let source = try? Source(sections, units: scan.units, budget: budget)
        else { return [] }
        let units = OpenUnits(sections, scan: scan, source: source, budget: budget)
        var references: [SplitReference] = []
        for index in scan.units.indices {
            do throws(DwarfError) {
                let unit = try units.unit(index)
                if let reference = SplitReference(unit.attributes) { references.append(reference) }
            } catch {
                if error.reason == .workBudget { break }
            }
        }
        return references
    }
}

extension SplitReference {
    fileprivate init?(_ unit: UnitAttributes) {
        guard unit.namesOtherFile, !unit.isModuleReference, let id = unit.splitID
        else { return nil }
        let name = unit.otherFileName.flatMap { try? unit.tables.string($0) }
        let folder = String(decoding: unit.compilationFolder, as: UTF8.self)
        self.init(fileName: name ?? "", folder: folder, id: id)
    }
}
