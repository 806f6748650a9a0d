import CallStacks
import SymbolStores
import Synchronization

/// Finds images by name among the given symbols. If the symbols of an image are missing but there
/// are some for an image of the same name, the app was usually rebuilt, and the symbols belong to
/// the other build.
final class OtherBuildFinder: Sendable {
    private let symbols: LocalSymbolProvider
    /// Built on first use, because most runs have all symbols.
    private let imagesByName = Mutex<[String: [ImageID]]?>(nil)

    init(among symbols: LocalSymbolProvider) { self.symbols = symbols }

    /// Returns the image of another build for each missing image that has one.
    func otherBuilds(of missing: [ImageStatus]) -> [ImageID: ImageID] {
        var others: [ImageID: ImageID] = [:]
        for report in missing {
            if let image = report.image { others[image] = otherBuild(of: report) }
        }
        return others
    }

    /// Returns the image of the same name and architecture, or `nil` if there is none. If there are
    /// several, it is the one with the smallest identity, so that every run returns the same one.
    func otherBuild(of report: ImageStatus) -> ImageID? {
        guard report.status == .missing, let name = report.name else { return nil }
        return images(named: name).first { image in
            guard let wanted = report.architecture else { return true }
            return symbols.architecture(of: image)?.isOfFamily(of: wanted) ?? false
        }
    }

    /// Returns the only image of a name, or `nil` if there is none or more than one.
    func soleImage(named name: String) -> ImageID? {
        let images = images(named: name)
        return images.count == 1 ? images[0] : nil
    }

    private func images(named name: String) -> [ImageID] {
        imagesByName.withLock { known in
            let images = known ?? Self.imagesByName(of: symbols)
            known = images
            return images[name] ?? []
        }
    }

    private static func imagesByName(of symbols: LocalSymbolProvider) -> [String: [ImageID]] {
        var images: [String: [ImageID]] = [:]
        for image in symbols.inventory.images {
            guard let file = symbols.name(of: image) else { continue }
            images[imageName(file), default: []].append(image)
        }
        return images.mapValues { $0.sorted { $0.hex < $1.hex } }
    }

    /// Returns the image name for the name of its debug file: `shop` for `shop.debug`.
    private static func imageName(_ file: String) -> String {
        for ending in [".debug", ".dbg"] where file.hasSuffix(ending) {
            return String(file.dropLast(ending.count))
        }
        return file
    }
}
