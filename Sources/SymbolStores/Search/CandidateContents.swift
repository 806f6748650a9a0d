import ByteReading
import DebugFiles

extension DebugFileSearch.Candidate {
    /// The usable slices of a file, and its problems.
    struct Contents {
        var files: [DebugFile] = []
        var problems: [SymbolStoreError] = []
    }

    /// Returns the slices whose headers can be read.
    ///
    /// In a folder, some files only look like debug files, such as Java classes, and every build
    /// has static libraries. Neither are reported as problems there.
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
            return Contents(problems: [SymbolStoreError(name, detail: "\(error)")])
        }
    }

    private func problem(_ error: DebugFileError) -> SymbolStoreError? {
        switch error.reason {
        case .unrecognised, .staticLibrary: isExplicit ? SymbolStoreError(error) : nil
        case .reading, .missingText, .missingSlice, .splitUnits, .otherSupplement, .supplement:
            SymbolStoreError(error)
        }
    }
}

extension SymbolStoreError {
    init(_ error: DebugFileError) {
        let what = error.reason.description
        switch error.reason {
        case .unrecognised:
            self.init(error.name, detail: what, suggestion: "use a dSYM or a debug file")
            isOfOtherKind = true
        case .reading(let reading):
            self.init(
                error.name, detail: Self.damage(reading), suggestion: "build or download it again")
        case .missingSlice:
            self.init(error.name, detail: what, suggestion: "select another with --arch")
        case .staticLibrary, .missingText, .splitUnits, .otherSupplement, .supplement:
            self.init(error.name, detail: what, suggestion: error.reason.suggestion)
        }
    }

    private static func damage(_ error: ReadingError) -> String {
        if case .needs = error.reason { return "is truncated (\(error))" }
        return "is damaged (\(error))"
    }
}
