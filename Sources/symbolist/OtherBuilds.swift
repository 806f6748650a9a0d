import CallStacks
import SymbolStores
import Synchronization

/// Finds images by name among the given symbols. An image that is missing while one of the same name
/// is there was mostly built again, and the symbols of one of the builds were kept.
final class OtherBuilds: Sendable {
    private let symbols: LocalSymbols
    /// Made when first wanted, because most runs miss nothing.
    private let imagesByName = Mutex<[String: [ImageID]]?>(nil)

    init(among symbols: LocalSymbols) { self.symbols = symbols }

    /// What is there in place of each missing image.
    func insteadOf(_ missing: [ImageReport]) -> [ImageID: ImageID] {
        var others: [ImageID: ImageID] = [:]
        for report in missing {
            if let image = report.image { others[image] = insteadOf(report) }
        }
        return others
    }

    /// The image of the same name and architecture; of several the one with the smallest identity, so
    /// that each run says the same.
    func insteadOf(_ report: ImageReport) -> ImageID? {
        guard report.status == .missing, let name = report.name else { return nil }
        return images(named: name).first { image in
            guard let wanted = report.architecture else { return true }
            return symbols.architecture(of: image)?.isOfFamily(of: wanted) ?? false
        }
    }

    private func images(named name: String) -> [ImageID] {
        imagesByName.withLock { known in
            let images = known ?? Self.imagesByName(of: symbols)
            known = images
            return images[name] ?? []
        }
    }

    private static func imagesByName(of symbols: LocalSymbols) -> [String: [ImageID]] {
        var images: [String: [ImageID]] = [:]
        for image in symbols.inventory.images {
            guard let file = symbols.name(of: image) else { continue }
            images[imageName(file), default: []].append(image)
        }
        return images.mapValues { $0.sorted { $0.hex < $1.hex } }
    }

    /// The name of an image by that of its debug file: `shop` of `shop.debug`.
    private static func imageName(_ file: String) -> String {
        for ending in [".debug", ".dbg"] where file.hasSuffix(ending) {
            return String(file.dropLast(ending.count))
        }
        return file
    }
}
