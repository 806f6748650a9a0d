package import CallStacks

/// The images that the diagnostics of one write wait for, grouped by image and by the app that has
/// to upload it. Thousands of diagnostics want the same few images, and each image is written once.
package struct ImageWaits {
    /// The identity of a missing image.
    private struct Key: Hashable {
        let image: ImageID
        let app: String?

        init(_ wanted: WantedImage) {
            image = wanted.image
            app = wanted.app
        }
    }

    /// An image with the information from its diagnostics.
    package struct Image {
        package var wanted: WantedImage
        package var firstSeen: UnixTime
        package var lastSeen: UnixTime
        /// Distinct, in the order of the diagnostics.
        package var versions: [AppVersion] = []
        private var knownVersions: Set<AppVersion> = []
        /// The diagnostics that wait for it.
        package var addresses: [RecordAddress] = []
        /// The number of frames in the image.
        package var frameCount = 0
        /// The systems that the image belongs to, according to the diagnostics.
        package var systems: [MissingSystem] = []
        private var systemIndexes: [SystemBuild: Int] = [:]

        package init(wanted: WantedImage, firstSeen: UnixTime, lastSeen: UnixTime) {
            self.wanted = wanted
            self.firstSeen = firstSeen
            self.lastSeen = lastSeen
        }
    }

    /// An app version as shown in lists.
    package struct AppVersion: Hashable, Sendable {
        /// The app, or an empty string if it is unknown.
        package var app: String
        /// `1.4.0 (217)`; empty if unknown.
        package var version: String

        package init(app: String, version: String) {
            self.app = app
            self.version = version
        }
    }

    package private(set) var images: [Image] = []
    private var indexes: [Key: Int] = [:]

    package init() {}

    /// Collects the information about the images that a diagnostic wants.
    package mutating func add(_ diagnostic: DiagnosticRecord) {
        let version = AppVersion(diagnostic)
        for wanted in diagnostic.wanted {
            images[index(of: wanted, arrival: diagnostic.arrival)]
                .add(wanted, version, arrival: diagnostic.arrival)
        }
    }

    private mutating func index(of wanted: WantedImage, arrival: UnixTime) -> Int {
        if let index = indexes[Key(wanted)] { return index }
        indexes[Key(wanted)] = images.count
        images.append(Image(wanted: wanted, firstSeen: arrival, lastSeen: arrival))
        return images.count - 1
    }

    /// Returns the images that a diagnostic wants, each once.
    ///
    /// - Parameter numbers: The numbers of ``images``, in their order.
    package func list(of diagnostic: DiagnosticRecord, _ numbers: [Int64]) -> WantedImageList {
        var list = WantedImageList()
        var known: Set<Int64> = []
        for wanted in diagnostic.wanted {
            guard let index = indexes[Key(wanted)], known.insert(numbers[index]).inserted
            else { continue }
            list.items.append(.init(image: numbers[index], frameCount: wanted.frameCount))
        }
        return list
    }

    /// Adds a diagnostic to the images that it wants.
    ///
    /// - Parameters:
    ///   - last: The images for which it already waits, and which already count it.
    ///   - numbers: The numbers of ``images``, in their order.
    package mutating func add(
        _ diagnostic: DiagnosticRecord, _ numbers: [Int64],
        except last: WantedImageList = WantedImageList()
    ) {
        let known = last.images
        for wanted in diagnostic.wanted {
            guard let index = indexes[Key(wanted)], !known.contains(numbers[index]),
                images[index].addresses.last != diagnostic.address
            else { continue }
            images[index].addresses.append(diagnostic.address)
            images[index].count(wanted)
        }
    }
}

extension ImageWaits.Image {
    /// Counts a diagnostic that waits for the image.
    fileprivate mutating func count(_ wanted: WantedImage) {
        frameCount += wanted.frameCount
        guard let origin = wanted.system else { return }
        let models = [origin.model].compactMap(\.self)
        if let index = systemIndexes[origin.system] {
            systems[index].add(models, diagnosticCount: 1)
        } else {
            systemIndexes[origin.system] = systems.count
            systems.append(
                MissingSystem(system: origin.system, models: models, diagnosticCount: 1))
        }
    }

    fileprivate mutating func add(
        _ other: WantedImage, _ version: ImageWaits.AppVersion, arrival: UnixTime
    ) {
        firstSeen = min(firstSeen, arrival)
        lastSeen = max(lastSeen, arrival)
        wanted.isInApp = wanted.isInApp(or: other)
        wanted.name = wanted.name ?? other.name
        wanted.architecture = wanted.architecture ?? other.architecture
        wanted.isStored = wanted.isStored && other.isStored
        if versions.last != version, knownVersions.insert(version).inserted {
            versions.append(version)
        }
    }
}

extension ImageWaits.AppVersion {
    fileprivate init(_ diagnostic: DiagnosticRecord) {
        app = diagnostic.app ?? ""
        let build = diagnostic.build.map { "(\($0))" }
        version = [diagnostic.version, build].compactMap(\.self).joined(separator: " ")
    }
}
