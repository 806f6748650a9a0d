import CallStacks
import CrashFiles
import SymbolStores

/// The images that the stacks of a report name, each once, in the order of their first frame.
struct ReportImages {
    private(set) var images: [WantedImage] = []
    /// What messages call the report.
    let name: String

    /// - Throws: ``SymbolStoreError`` when it cannot be read.
    init(of input: InputBytes) throws(SymbolStoreError) {
        name = input.name
        var seen: Set<WantedImage> = []
        for report in CrashFileReader().read(try input.read()).reports {
            let diagnostic = report.resolved()
            let architectures = Dictionary(
                diagnostic.images.compactMap { image in image.id.map { ($0, image.architecture) } }
            ) { first, _ in first }
            for frame in diagnostic.tree.frames where frame.image != nil || frame.imageName != nil {
                // What a payload says is the architecture of the device, which also runs others.
                let image = WantedImage(
                    id: frame.image, name: frame.imageName,
                    architecture: frame.image.flatMap { architectures[$0] ?? nil })
                if seen.insert(image).inserted { images.append(image) }
            }
        }
    }
}
