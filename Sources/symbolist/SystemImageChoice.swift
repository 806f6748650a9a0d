import CallStacks
import SymbolStores

/// The system images that a command applies to, chosen by name, by identity, or from reports.
struct SystemImageChoice {
    private var wanted: [Wanted] = []
    /// Whether a report could not be read.
    private(set) var isDamaged = false
    private(set) var isLimited: Bool

    /// A chosen image.
    struct Wanted {
        let id: ImageID?
        let name: String
        /// The number of the reports' frames in the image; 0 if the image was chosen by name or
        /// identity.
        var frameCount = 0

        func matches(_ image: SystemImage) -> Bool {
            id.map { $0 == image.id } ?? (name == image.name)
        }
    }

    init(names: [String]) {
        isLimited = !names.isEmpty
        wanted = names.map { Wanted(id: ImageID($0), name: $0) }
    }

    /// Adds the system images of a crash or hang report.
    mutating func add(report path: String) async {
        isLimited = true
        var reports = InspectedReports()
        await reports.read(path)
        for line in reports.problems { Console.problem(line) }
        isDamaged = isDamaged || reports.isDamaged || reports.isPartlyEmpty
        for image in reports.all.flatMap({ $0.withoutSymbols.imagesLackingSymbols.system }) {
            add(image)
        }
    }

    private mutating func add(_ image: ImageStatus) {
        guard let id = image.image else { return }
        if let index = wanted.firstIndex(where: { $0.id == id }) {
            wanted[index].frameCount += image.frameCount
        } else {
            wanted.append(
                Wanted(id: id, name: image.name ?? "\(id)", frameCount: image.frameCount))
        }
    }

    /// Whether an image is chosen.
    func includes(_ image: SystemImage) -> Bool {
        !isLimited || wanted.contains { $0.matches(image) }
    }

    /// Returns the chosen images that are missing from the given ones.
    func missing(from images: [SystemImage]) -> [Wanted] {
        wanted.filter { wanted in !images.contains { wanted.matches($0) } }
    }
}
