import CallStacks

extension ImageID {
    /// Parses the identity from a path in a `.build-id` tree: `…/.build-id/ab/cdef01.debug`.
    init?(inBuildIDTree path: String) {
        // Uses bytes, because characters are slow and there may be thousands of paths.
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).suffix(3).map { Substring($0) }
        guard parts.count == 3, parts[0] == ".build-id" else { return nil }
        self.init(parts[1] + (parts[2].split(separator: ".").first ?? ""))
    }

    /// Returns the path of the image's debug file in the `.build-id` tree of a folder.
    func buildIDPath(in folder: String) -> String {
        "\(folder)/.build-id/\(hex.prefix(2))/\(hex.dropFirst(2)).debug"
    }
}

/// Returns the paths where a package installs the debug file of an image: by its build ID, and below
/// the folder by the path of the image and by the debug link in it.
///
/// - Parameters:
///   - folder: A folder for debug files, such as `/usr/lib/debug`.
///   - path: The path of the image; a relative one is ignored.
///   - link: The file name in its debug link, or `nil` if there is none.
func installedDebugFiles(
    of image: ImageID, at path: String, link: String?, in folder: String
) -> [String] {
    var paths = [image.buildIDPath(in: folder)]
    guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return paths }
    paths.append("\(folder)\(path).debug")
    if let link, !link.isEmpty, !link.contains("/") {
        paths.append("\(folder)\(path[..<slash])/\(link)")
    }
    return paths
}
