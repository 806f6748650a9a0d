import ByteReading
import DebugFiles

extension DebugFileSearch.Candidate {
    /// What of the file can be used, and what is wrong with it.
    struct Contents {
        var files: [DebugFile] = []
        var problems: [SymbolStoreError] = []
    }

    /// The slices of the file, as far as their headers can be read.
    ///
    /// In a folder some files only look like debug files, as Java classes do, and static libraries
    /// lie in every build: neither is a problem there.
    func contents() -> Contents {
        do {
            let bytes = try MappedFile.bytes(of: path)
            let found = try DebugFile.slices(of: bytes, name: name)
            return Contents(
                files: found.files, problems: found.failures.compactMap { problem($0.error) })
        } catch let error as DebugFileError {
            return Contents(problems: [problem(error)].compactMap(\.self))
        } catch let error as SymbolStoreError {
            return Contents(problems: [error])
        } catch {
            return Contents(problems: [SymbolStoreError(name, "\(error)")])
        }
    }

    private func problem(_ error: DebugFileError) -> SymbolStoreError? {
        switch error.reason {
        case .unrecognised, .staticLibrary: isNamedByCaller ? SymbolStoreError(error) : nil
        case .reading, .missingText, .missingSlice, .splitUnits: SymbolStoreError(error)
        }
    }
}

extension SymbolStoreError {
    init(_ error: DebugFileError) {
        let what = error.reason.description
        switch error.reason {
        case .unrecognised: self.init(error.name, what, next: "give a dSYM or a debug file")
        case .reading(let reading):
            self.init(error.name, Self.damage(reading), next: "build or download it again")
        case .missingSlice: self.init(error.name, what, next: "choose another with --arch")
        case .staticLibrary, .missingText, .splitUnits: self.init(error.name, what)
        }
    }

    private static func damage(_ error: ReadingError) -> String {
        if case .needs = error.reason { return "is cut short (\(error))" }
        return "is damaged (\(error))"
    }
}
