import CallStacks
import Symbolication

/// The state of a diagnostic's images when its record was sent, as bits for the first 64 images.
/// Others are not recorded.
public struct SymbolView: Hashable, Sendable {
    /// The images with symbols.
    var found: UInt64 = 0
    /// The images whose symbols could not be read.
    var unreadable: UInt64 = 0
    /// The images that builds listed as the app's own.
    var listed: UInt64 = 0

    static let imageLimit = 64

    init(found: UInt64 = 0, unreadable: UInt64 = 0, listed: UInt64 = 0) {
        self.found = found
        self.unreadable = unreadable
        self.listed = listed
    }

    /// - Parameters:
    ///   - images: The images of the received diagnostics, in their order.
    ///   - diagnostics: The symbolicated diagnostics.
    init(of images: [ImageID], in diagnostics: [SymbolicatedDiagnostic]) {
        for (index, image) in images.prefix(Self.imageLimit).enumerated() {
            for diagnostic in diagnostics { add(image, of: diagnostic, at: index) }
        }
    }

    /// Adds the state of an image, if a diagnostic has frames in it.
    private mutating func add(
        _ image: ImageID, of diagnostic: SymbolicatedDiagnostic, at index: Int
    ) {
        let position = diagnostic.images.indices.first { diagnostic.images[$0].image == image }
        guard let position else { return }
        let status = diagnostic.images[position]
        if status.hasSymbols { found |= 1 << index }
        if status.status == .corrupt { unreadable |= 1 << index }
        if status.isInBuild { listed |= 1 << index }
    }

    /// Returns the images with symbols that have none in another view.
    ///
    /// - Parameter images: The images of the received diagnostics, in their order.
    func images(lackingIn other: Self, among images: [ImageID]) -> Set<ImageID> {
        Self.images(found & ~other.found, of: images)
    }

    /// Returns the symbols and builds that became known after the record was sent.
    ///
    /// - Parameter images: The images of the received diagnostics, in their order.
    func hidden(among images: [ImageID]) -> HiddenSymbols {
        HiddenSymbols(
            images: Self.images(~found, of: images),
            unreadable: Self.images(unreadable, of: images),
            appImages: Self.images(~listed, of: images))
    }

    /// Returns the images whose bits are set.
    private static func images(_ bits: UInt64, of images: [ImageID]) -> Set<ImageID> {
        let chosen = images.prefix(imageLimit).enumerated().filter { bits & 1 << $0.offset != 0 }
        return Set(chosen.map(\.element))
    }
}

extension ImageStatus {
    fileprivate var hasSymbols: Bool { status == .found || status == .noDebugInfo }
}
