import CallStacks

/// The debug files of images as the catalogue had them, so that it is asked once for each image.
/// Knows no catalogue and no other task.
struct FileListings {
    /// An image whose files are being read. Later questions about it wait for the same task.
    private struct Reading {
        let number: UInt64
        let task: Task<[StoredDebugFile]?, Never>
    }

    private var listings: [ImageID: [StoredDebugFile]] = [:]
    private var readings: [ImageID: Reading] = [:]
    private var readingCount: UInt64 = 0

    /// How many images are remembered. Hostile diagnostics name as many as they like.
    static let imageLimit = 1 << 16

    /// The files of an image, or `nil` if they have to be read.
    func files(of image: ImageID) -> [StoredDebugFile]? { listings[image] }

    /// The task that reads the files of an image, started by `start` if there is none yet.
    mutating func reading(
        of image: ImageID, _ start: (_ number: UInt64) -> Task<[StoredDebugFile]?, Never>
    ) -> Task<[StoredDebugFile]?, Never> {
        if let reading = readings[image] { return reading.task }
        readingCount += 1
        let reading = Reading(number: readingCount, task: start(readingCount))
        readings[image] = reading
        return reading.task
    }

    /// Remembers what was read, unless it was invalidated meanwhile.
    ///
    /// - Parameter files: `nil` if they could not be read.
    mutating func finish(_ number: UInt64, of image: ImageID, _ files: [StoredDebugFile]?) {
        guard readings[image]?.number == number else { return }
        readings[image] = nil
        guard let files else { return }
        if listings.count >= Self.imageLimit { listings.removeAll(keepingCapacity: true) }
        listings[image] = files
    }

    /// Forgets the files of an image, also those that are being read.
    mutating func forget(_ image: ImageID) {
        listings[image] = nil
        readings[image] = nil
    }
}
