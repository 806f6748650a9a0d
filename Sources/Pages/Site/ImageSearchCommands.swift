import CallStacks
import HTMLText
import StackRendering

/// The commands that find the debug files of images on the machine that built them.
struct ImageSearchCommands {
    /// The maximum number of images to search for.
    static let imageLimit = 20

    private let images: ArraySlice<ImageID>
    /// The number of images that the commands do not search for.
    private let omittedCount: Int

    init(for images: [ImageID]) {
        self.images = images.prefix(Self.imageLimit)
        omittedCount = images.count - self.images.count
    }

    /// One command for all images with a UUID, and one for each of the others.
    var commands: [String] {
        let terms = images.filter(\.hasUUIDLength).map { "com_apple_xcode_dsym_uuids == \($0)" }
        let search = terms.isEmpty ? [] : ["mdfind '\(terms.joined(separator: " || "))'"]
        return search + images.filter { !$0.hasUUIDLength }.map(\.searchCommand)
    }

    /// Writes how many images the commands do not cover, if any.
    func writeOmission(to html: inout HTMLWriter) {
        guard omittedCount > 0 else { return }
        html.element(
            "p", [.class("note")],
            text: "The commands search for the first \(Self.imageLimit) images, not for "
                + "\(counted(omittedCount, "more image")).")
    }
}
