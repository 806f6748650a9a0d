import CallStacks
import DebugFiles

/// Files that look as if they belonged together and are of two builds.
struct IdentityMismatches {
    private let slices: [DebugFileInspection.Slice]

    init(among slices: [DebugFileInspection.Slice]) { self.slices = slices }

    /// What is wrong about one of them; most often nothing.
    func warnings(about slice: DebugFileInspection.Slice) -> [DebugFileWarning] {
        guard let id = slice.file.id else { return [] }
        var warnings: [DebugFileWarning] = []
        if let promised = ImageID(inBuildIDTree: slice.path), promised != id {
            warnings.append(
                DebugFileWarning(
                    .identityMismatch,
                    "its path in the .build-id tree names \(promised): its own build id is used"))
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

    /// An image that a debug file should describe by its name and place and does not, where it
    /// describes no other one of that name. A folder may well hold several builds.
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

    /// Where the images of a debug file's build would lie: the folder of the file or of its bundle, or
    /// the archive that Xcode made. Ends in a slash, unless it is the current folder.
    private static func buildFolder(of path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        let bundle = parts.lastIndex { $0.hasSuffix(".dSYM") }
        parts = parts[..<(bundle ?? parts.endIndex - 1)]
        if bundle != nil, parts.last == "dSYMs" { parts.removeLast() }
        return parts.map { "\($0)/" }.joined()
    }
}

extension DebugFileKind {
    /// Whether such a file only describes an image, which is a file of its own.
    fileprivate var isDebugInformationOnly: Bool { self == .dSYM || self == .elfDebug }
}

extension ImageID {
    /// The identity that a path in a `.build-id` tree gives: `…/.build-id/ab/cdef01.debug`.
    init?(inBuildIDTree path: String) {
        // Bytes, because characters take their time, and there may be thousands of paths.
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).suffix(3).map { Substring($0) }
        guard parts.count == 3, parts[0] == ".build-id" else { return nil }
        self.init(parts[1] + (parts[2].split(separator: ".").first ?? ""))
    }
}
