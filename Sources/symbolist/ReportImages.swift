import CallStacks
import MetricKitPayloads
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
        for received in PayloadReader().read(try input.read()).diagnostics {
            let diagnostic = received.resolved()
            for frame in diagnostic.tree.frames where frame.image != nil || frame.imageName != nil {
                // What the payload says is the architecture of the device, which also runs others.
                let image = WantedImage(
                    id: frame.image, name: frame.imageName, architecture: nil)
                if seen.insert(image).inserted { images.append(image) }
            }
        }
    }
}
