import Archives
import Problems

/// The files of an archive, and of archives inside it, that may be reports. Only one file is in
/// memory at a time, together with the archives that contain it.
public struct ArchivedFiles: ~Copyable {
    public enum Finding: Sendable {
        /// A file with its path, in which archives count as folders.
        case file(name: String, DecodedFile)
        case problem(UnpackingError)
    }

    /// An archive being read.
    private final class Layer {
        var members: ArchiveMemberReader
        /// The path inside the outermost archive, which itself has an empty one.
        let path: String

        init(_ members: consuming ArchiveMemberReader, path: String) {
            self.members = members
            self.path = path
        }
    }

    private let opening: ReceivedFileOpener
    private var layers: [Layer]
    /// The damage of the archive opened last.
    private var damage: UnpackingError?
    private var closedCount = 0

    /// - Parameter damage: Why the archive is incomplete.
    init(_ members: consuming ArchiveMemberReader, _ opening: ReceivedFileOpener, damage: Problem?)
    {
        self.opening = opening
        self.damage = damage.map { UnpackingError(damage: $0, of: opening.name) }
        layers = [Layer(members, path: "")]
    }

    /// The number of files that were skipped because they cannot be reports.
    public var passedCount: Int {
        layers.reduce(closedCount) { $0 + $1.members.unwantedCount }
    }

    /// Returns the next file or problem, or `nil` at the end.
    public mutating func next() -> Finding? {
        if let damage {
            self.damage = nil
            return .problem(damage)
        }
        while let layer = layers.last {
            switch layer.members.next() {
            case nil: close(layer)
            case .problem(let error): return .problem(UnpackingError(error))
            case .largeFile(let name, let member, let error):
                let large = LargeFile(member, path: path(of: name, in: layer))
                return .problem(UnpackingError(error, largeFile: large))
            case .file(let name, let bytes, let damage):
                if let finding = finding(
                    path(of: name, in: layer), bytes: bytes,
                    damage: damage?.problem.of(nil))
                {
                    return finding
                }
            }
        }
        return nil
    }

    private func path(of name: String, in layer: Layer) -> String {
        layer.path.isEmpty ? name : "\(layer.path)/\(name)"
    }

    private mutating func close(_ layer: Layer) {
        closedCount += layer.members.unwantedCount
        layers.removeLast()
        layers.last?.members.budget = layer.members.budget
    }

    /// Returns a file, or `nil` for an archive, which is read next.
    private mutating func finding(
        _ path: String, bytes: [UInt8], damage: Problem?
    ) -> Finding? {
        var opening = opening
        opening.name += "/\(path)"
        opening.budget = layers.last?.members.budget
        do throws(UnpackingError) {
            switch try opening.open(bytes) {
            case .single(var file):
                file.damage = damage ?? file.damage
                return .file(name: path, file)
            case .archive(let members, let damage):
                guard layers.count <= opening.limits.depth else {
                    let reason = ArchiveError.Reason.tooDeep(limit: opening.limits.depth)
                    return .problem(UnpackingError(ArchiveError(opening.name, reason)))
                }
                self.damage = damage.map { UnpackingError(damage: $0, of: opening.name) }
                layers.append(Layer(members, path: path))
                return nil
            }
        } catch {
            return .problem(error.inArchive(at: path))
        }
    }
}
