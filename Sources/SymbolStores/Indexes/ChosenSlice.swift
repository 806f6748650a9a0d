import CallStacks
public import DebugFiles

/// The slice of a debug file selected by a path and an optional architecture.
public struct ChosenSlice: Sendable {
    /// The path of the file, inside the bundle if a bundle was given.
    public let path: String
    public let file: DebugFile
    /// Whether the file has several slices and no architecture was given.
    public let isGuess: Bool

    /// The preferred architectures if there are several slices, best first.
    private static let preference: [Architecture] = [.arm64, .arm64e, .x86On64]

    /// - Parameters:
    ///   - path: A debug file, or a bundle or folder with exactly one, or with one of the same
    ///     name.
    ///   - architecture: The architecture's name. `arm64` also selects the only slice of
    ///     arm64e, or an ELF file for 64-bit ARM, if there is no other one.
    public init(path: String, architecture: String?) throws(SymbolStoreError) {
        self.path = try Self.file(at: path)
        let bytes = try MappedFile.bytes(of: self.path)
        let contents: DebugFileContents
        do throws(DebugFileError) {
            contents = try DebugFile.slices(of: bytes, name: self.path)
            if let architecture {
                let slice = try Self.slice(architecture, of: contents)
                file = JoinedDebugFile(slice, besideFileAt: self.path).file
                isGuess = false
                return
            }
        } catch { throw SymbolStoreError(error) }
        guard let file = Self.preferred(contents.files) else {
            throw contents.failures.first.map { SymbolStoreError($0.error) }
                ?? SymbolStoreError(self.path, detail: "contains no readable slice")
        }
        self.file = JoinedDebugFile(file, besideFileAt: self.path).file
        isGuess = contents.files.count > 1
    }

    private static func file(at path: String) throws(SymbolStoreError) -> String {
        let search = DebugFileSearch([path])
        let files = search.linkedFiles
        if files.count == 1 { return files[0].path }
        // Xcode stores libraries of debug builds and previews next to the app's own file.
        let own = files.first { $0.path.hasSuffix("/\(nameOfContents(path))") }
        if let own { return own.path }
        throw search.noSoleFile(in: path)
    }

    /// Returns `Orchard` for `…/Orchard.app.dSYM`.
    private static func nameOfContents(_ path: String) -> Substring {
        let name = path.split(separator: "/").last ?? ""
        let stem = name.hasSuffix(".dSYM") ? name.dropLast(".dSYM".count) : name
        return stem.lastIndex(of: ".").map { stem[..<$0] } ?? stem
    }

    private static func slice(
        _ wanted: String, of contents: DebugFileContents
    ) throws(DebugFileError) -> DebugFile {
        let isAbsent = !contents.files.contains { $0.architecture.name == wanted }
        if wanted == Architecture.arm64.name, isAbsent {
            let similar = contents.files.filter {
                [.arm64e, .elfARM64].contains($0.architecture)
            }
            if similar.count == 1 { return similar[0] }
        }
        return try contents.file(architecture: wanted)
    }

    private static func preferred(_ files: [DebugFile]) -> DebugFile? {
        let known = preference.lazy.compactMap { wanted in
            files.first { $0.architecture == wanted }
        }
        return known.first ?? files.first
    }
}
