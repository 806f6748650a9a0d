import CallStacks
import Ingest

/// What the diagnostics of one write wait for, put together by image and by the app that has to upload
/// it: thousands of diagnostics want the same few images, and each is to be written once.
struct NewWaits {
    /// What distinguishes two missing images.
    private struct Key: Hashable {
        let image: ImageID
        let app: String?

        init(_ wanted: WantedImage) {
            image = wanted.image
            app = wanted.app
        }
    }

    /// One image with what these diagnostics tell of it.
    struct Image {
        var wanted: WantedImage
        var firstSeen: UnixTime
        var lastSeen: UnixTime
        /// Each once, in the order of the diagnostics.
        var versions: [AppVersion] = []
        /// The diagnostics that wait for it.
        var places: [RecordPlace] = []
    }

    /// A version of an app as lists show it.
    struct AppVersion: Hashable {
        /// Empty where it is unknown.
        var app: String
        /// `1.4.0 (217)`; empty where it is unknown.
        var version: String
    }

    private(set) var images: [Image] = []
    private var indexes: [Key: Int] = [:]

    /// Notes what a diagnostic tells of the images that it wants.
    mutating func note(_ row: DiagnosticRow) {
        let version = AppVersion(row)
        for wanted in row.wanted {
            images[index(of: wanted, arrival: row.arrival)]
                .note(wanted, version, arrival: row.arrival)
        }
    }

    private mutating func index(of wanted: WantedImage, arrival: UnixTime) -> Int {
        if let index = indexes[Key(wanted)] { return index }
        indexes[Key(wanted)] = images.count
        images.append(Image(wanted: wanted, firstSeen: arrival, lastSeen: arrival))
        return images.count - 1
    }

    /// The images that a diagnostic wants, each once.
    ///
    /// - Parameter numbers: Of ``images``, in their order.
    func list(of row: DiagnosticRow, _ numbers: [Int64]) -> WantedList {
        var list = WantedList()
        for wanted in row.wanted {
            guard let index = indexes[Key(wanted)],
                !list.items.contains(where: { $0.image == numbers[index] })
            else { continue }
            list.items.append(.init(image: numbers[index], frameCount: wanted.frameCount))
        }
        return list
    }

    /// Lets a diagnostic wait for what it wants.
    mutating func add(_ row: DiagnosticRow) {
        for wanted in row.wanted {
            guard let index = indexes[Key(wanted)], images[index].places.last != row.place
            else { continue }
            images[index].places.append(row.place)
        }
    }
}

extension NewWaits.Image {
    fileprivate mutating func note(
        _ other: WantedImage, _ version: NewWaits.AppVersion, arrival: UnixTime
    ) {
        firstSeen = min(firstSeen, arrival)
        lastSeen = max(lastSeen, arrival)
        wanted.name = wanted.name ?? other.name
        wanted.architecture = wanted.architecture ?? other.architecture
        wanted.isInApp = wanted.isInApp || other.isInApp
        if !versions.contains(version) { versions.append(version) }
    }
}

extension NewWaits.AppVersion {
    fileprivate init(_ row: DiagnosticRow) {
        app = row.app ?? ""
        let build = row.build.map { "(\($0))" }
        version = [row.version, build].compactMap(\.self).joined(separator: " ")
    }
}
