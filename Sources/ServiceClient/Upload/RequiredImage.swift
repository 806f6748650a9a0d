public import CallStacks
import DebugFiles
public import SymbolStores

/// An image that must have symbols for the upload to succeed.
public struct RequiredImage: Hashable, Sendable {
    public var image: ImageID
    /// The name of its file, if known.
    public var name: String?
    public var architecture: String?

    public init(_ image: ImageID) { self.image = image }
}

/// The images of a product that run on devices and therefore occur in diagnostics.
public struct ProductImages: Sendable {
    public private(set) var images: [RequiredImage] = []
    public let problems: [SymbolProblem]

    /// - Parameter paths: Apps, `.ipa` or `.xcarchive` files, frameworks, or folders of them.
    public init(paths: [String], unpackingIn archives: ArchiveFolder?) {
        let inspection = DebugFileInspection(paths: paths, unpackingIn: archives)
        problems = inspection.problems
        for slice in inspection.slices {
            guard let id = slice.file.id, Self.isLoaded(slice) else { continue }
            var image = RequiredImage(id)
            image.name = fileName(of: slice.path)
            image.architecture = slice.file.architecture.name
            if !images.contains(where: { $0.image == id }) { images.append(image) }
        }
    }

    private static func isLoaded(_ slice: DebugFileInspection.Slice) -> Bool {
        switch slice.file.kind {
        case .executable, .dylib, .bundle, .elfExecutable, .elfShared: true
        default: false
        }
    }
}
