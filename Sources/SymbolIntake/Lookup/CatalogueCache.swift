import CallStacks

/// A cache of the debug files of images, so that each image is read from the catalogue once. The
/// cache itself neither reads the catalogue nor waits for tasks.
struct CatalogueCache {
    /// An image whose files are being read. Later requests wait for the same task.
    private struct Reading {
        let number: UInt64
        let task: Task<[StoredDebugFile]?, Never>
    }

    private var listings: [ImageID: [StoredDebugFile]] = [:]
    private var readings: [ImageID: Reading] = [:]
    private var readingCount: UInt64 = 0
    /// The images whose files could not be read.
    private var unread: Set<ImageID> = []

    /// The maximum number of cached images. Hostile diagnostics can name any number.
    static let imageLimit = 1 << 16

    /// Returns the files of an image, or `nil` if they are not cached.
    func files(of image: ImageID) -> [StoredDebugFile]? { listings[image] }

    /// Returns the supplementary files that some debug files are indexed with. They are in use as
    /// long as these are.
    func supplements(of used: Set<DebugFileKey>) -> Set<ImageID> {
        Set(
            used.compactMap { key in
                listings[key.image]?.first { $0.key == key }?.companions?.supplement
            })
    }

    /// Returns the task that reads an image's files, calling `start` if none is running.
    mutating func reading(
        of image: ImageID, _ start: (_ number: UInt64) -> Task<[StoredDebugFile]?, Never>
    ) -> Task<[StoredDebugFile]?, Never> {
        if let reading = readings[image] { return reading.task }
        readingCount += 1
        let reading = Reading(number: readingCount, task: start(readingCount))
        readings[image] = reading
        return reading.task
    }

    /// Caches the files read, unless the entry was invalidated meanwhile.
    ///
    /// - Parameter files: The files, or `nil` if reading them failed.
    mutating func finish(_ number: UInt64, of image: ImageID, _ files: [StoredDebugFile]?) {
        if files == nil { add(unread: image) }
        guard readings[image]?.number == number else { return }
        readings[image] = nil
        guard let files else { return }
        if listings.count >= Self.imageLimit { listings.removeAll(keepingCapacity: true) }
        listings[image] = files
    }

    /// Removes and returns an image whose files could not be read.
    mutating func takeUnread() -> ImageID? { unread.popFirst() }

    /// Records that diagnostics have missed the files of an image.
    mutating func add(unread image: ImageID) {
        if unread.count < Self.imageLimit { unread.insert(image) }
    }

    /// Removes the files of an image, including those that are being read.
    mutating func forget(_ image: ImageID) {
        listings[image] = nil
        readings[image] = nil
    }

    /// Removes the files of all images.
    mutating func forgetAll() {
        listings.removeAll()
        readings.removeAll()
    }
}
