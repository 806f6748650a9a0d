import CallStacks
import Ingest

/// What the diagnostics of one write wait for, put together by image: thousands of diagnostics want
/// the same few images, and each is to be written once.
struct NewWaits {
    /// One image with what these diagnostics tell of it.
    struct Image {
        var wanted: WantedImage
        var count = 0
        var firstSeen: UnixTime
        var lastSeen: UnixTime
        /// Each once, in the order of the diagnostics.
        var versions: [AppVersion] = []
    }

    /// A version of an app as lists show it.
    struct AppVersion: Hashable {
        /// Empty where it is unknown.
        var app: String
        /// `1.4.0 (217)`; empty where it is unknown.
        var version: String
    }

    struct Wait {
        var place: RecordPlace
        /// An index into ``images``.
        var image: Int
        /// Its position among the images that the diagnostic wants.
        var rank: Int
        var frameCount: Int
    }

    private(set) var images: [Image] = []
    private(set) var waits: [Wait] = []
    private var indexes: [ImageID: Int] = [:]

    mutating func add(_ row: DiagnosticRow) {
        let version = AppVersion(row)
        var seen: Set<ImageID> = []
        for (rank, wanted) in row.wanted.enumerated() where seen.insert(wanted.image).inserted {
            let image = index(of: wanted, arrival: row.arrival)
            images[image].add(wanted, version, arrival: row.arrival)
            waits.append(
                Wait(place: row.place, image: image, rank: rank, frameCount: wanted.frameCount))
        }
    }

    private mutating func index(of wanted: WantedImage, arrival: UnixTime) -> Int {
        if let index = indexes[wanted.image] { return index }
        indexes[wanted.image] = images.count
        images.append(Image(wanted: wanted, firstSeen: arrival, lastSeen: arrival))
        return images.count - 1
    }
}

extension NewWaits.Image {
    fileprivate mutating func add(
        _ other: WantedImage, _ version: NewWaits.AppVersion, arrival: UnixTime
    ) {
        count += 1
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
