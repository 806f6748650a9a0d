import CallStacks
import Ingest
import Pages
import SymbolIntake

/// The images that diagnostics wait for before symbols are dropped. After the drop, they determine
/// what the symbols changed.
struct WantedSymbols: Sendable {
    private struct Image {
        let name: String?
        let waitingCount: Int
    }

    private var images: [ImageID: Image] = [:]
    /// The image that files were dropped on.
    private let target: ImageID?
    /// The maximum number of files of other builds that are reported.
    private static let otherBuildLimit = 5

    /// - Parameters:
    ///   - missing: The images that received diagnostics wait for.
    ///   - reported: The images without symbols of the dropped report on the screen.
    ///   - target: The image that files were dropped on.
    init(missing: [MissingImage], reported: [ImageStatus], target: ImageID?) {
        self.target = target
        for image in reported {
            guard let id = image.image else { continue }
            images[id] = Image(name: image.name, waitingCount: 0)
        }
        for image in missing {
            let earlier = images[image.image]?.waitingCount ?? 0
            images[image.image] = Image(
                name: image.name, waitingCount: earlier + image.waitingCount)
        }
    }

    func outcome(of results: [DroppedFiles.Result]) -> DropOutcome {
        var outcome = DropOutcome()
        let read = results.filter { $0.status != IntakeResult.Status.rejected.rawValue }
        let new = read.filter { $0.status != IntakeResult.Status.duplicate.rawValue }
        outcome.servedCounts = Set(new.compactMap(\.image)).compactMap { images[$0]?.waitingCount }
            .filter { $0 > 0 }
        outcome.otherBuilds = otherBuilds(among: read)
        return outcome
    }

    /// Returns the files that were probably meant for another image, each pair of images once.
    private func otherBuilds(among read: [DroppedFiles.Result]) -> [DropOutcome.OtherBuild] {
        let dropped = Set(read.compactMap(\.image))
        let welcome = welcomeNames(among: read, dropped)
        var builds: [DropOutcome.OtherBuild] = []
        for file in read where !welcome.contains(file.name) {
            guard builds.count < Self.otherBuildLimit else { break }
            guard let image = file.image, let wanted = wanted(insteadOf: file, among: dropped),
                !builds.contains(where: { ($0.image, $0.wanted) == (image, wanted) })
            else { continue }
            builds.append(.init(name: file.shortName ?? file.name, image: image, wanted: wanted))
        }
        return builds
    }

    /// Returns the names of the files that were not meant for another image.
    ///
    /// One slice of a file may be wanted, and the others not. Files that were dropped on an image
    /// are compared with that image, even if diagnostics wait for another image in them.
    private func welcomeNames(
        among read: [DroppedFiles.Result], _ dropped: Set<ImageID>
    ) -> Set<String> {
        if let target, !dropped.contains(target) { return [] }
        return Set(read.filter { isWanted($0.image) }.map(\.name))
    }

    private func isWanted(_ image: ImageID?) -> Bool {
        image.map { images[$0] != nil || $0 == target } ?? false
    }

    /// Returns the image that a file was probably meant for: the one that it was dropped on, or the
    /// most wanted one with its name.
    private func wanted(
        insteadOf file: DroppedFiles.Result, among dropped: Set<ImageID>
    ) -> ImageID? {
        if let target, !dropped.contains(target) { return target }
        let alike = images.filter { $0.value.name == file.shortName && !dropped.contains($0.key) }
        return alike.max { left, right in
            (left.value.waitingCount, left.key.description)
                < (right.value.waitingCount, right.key.description)
        }?.key
    }
}

extension DroppedFiles.Result {
    /// The last part of its path.
    fileprivate var shortName: String? { name.split(separator: "/").last.map(String.init) }
}
