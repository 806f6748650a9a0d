public import CallStacks
import StackRendering

/// The effect of dropped symbols on diagnostics that wait for symbols.
public struct DropOutcome: Hashable, Sendable {
    /// A file of a build other than the missing one.
    public struct OtherBuild: Hashable, Sendable {
        public var name: String
        public var image: ImageID
        public var wanted: ImageID

        public init(name: String, image: ImageID, wanted: ImageID) {
            self.name = name
            self.image = image
            self.wanted = wanted
        }
    }

    /// For each image that arrived, the number of diagnostics that waited for it.
    public var servedCounts: [Int] = []
    public var otherBuilds: [OtherBuild] = []

    public init() {}

    /// The outcome as sentences.
    public var sentences: [String] {
        var sentences: [String] = []
        if let count = servedCounts.max() {
            // A diagnostic may have waited for several images.
            let bound = servedCounts.count > 1 ? "At least " : ""
            sentences.append("\(bound)\(counted(count, "diagnostic")) became readable.")
        }
        return sentences
            + otherBuilds.map { other in
                "\(plain(other.name)) is another build: it has the UUID \(other.image), and "
                    + "\(other.wanted) is wanted."
            }
    }
}
