import CallStacks
import DebugFiles

/// Finds files that seem to belong together but are from different builds.
struct IdentityMismatches {
    private let slices: [DebugFileInspection.Slice]

    init(among slices: [DebugFileInspection.Slice]) { self.slices = slices }

    /// Returns the warnings about a slice, usually none.
    func warnings(about slice: DebugFileInspection.Slice) -> [DebugFileWarning] {
        guard let id = slice.file.id else { return [] }
        var warnings: [DebugFileWarning] = []
        if let promised = ImageID(inBuildIDTree: slice.path), promised != id {
            warnings.append(
                DebugFileWarning(
                    .identityMismatch,
                    "its path in the .build-id tree names \(promised): its own build ID is used"))
        }
        if let image = imageOfAnotherBuild(than: slice), let other = image.file.id {
            warnings.append(
                DebugFileWarning(
                    .identityMismatch,
                    "'\(image.path)' is \(other), so of another build: keep image and debug file of"
                        + " one build together"))
        }
        return warnings
    }

    /// Returns an image that a debug file should describe by its name and location but does not,
    /// unless it describes another image of that name. A folder may contain several builds.
    private func imageOfAnotherBuild(
        than slice: DebugFileInspection.Slice
    ) -> DebugFileInspection.Slice? {
        guard slice.file.kind.isDebugInformationOnly else { return nil }
        let folder = Self.buildFolder(of: slice.path)
        let images = slices.filter { image in
            !image.file.kind.isDebugInformationOnly && !image.file.kind.isObject
                && image.file.architecture == slice.file.architecture
                && slice.isNamed(image.fileName) && image.path.hasPrefix(folder)
        }
        return images.contains { $0.file.id == slice.file.id } ? nil : images.first
    }

    /// Returns the folder where the images of a debug file's build are expected: that of the file
    /// or its bundle, or the Xcode archive. It ends with a slash, unless it is the current folder.
    private static func buildFolder(of path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        let bundle = parts.lastIndex { $0.hasSuffix(".dSYM") }
        parts = parts[..<(bundle ?? parts.endIndex - 1)]
        if bundle != nil, parts.last == "dSYMs" { parts.removeLast() }
        return parts.map { "\($0)/" }.joined()
    }
}

extension DebugFileKind {
    /// Whether such a file only describes an image, which is a separate file.
    fileprivate var isDebugInformationOnly: Bool { self == .dSYM || self == .elfDebug }
}
