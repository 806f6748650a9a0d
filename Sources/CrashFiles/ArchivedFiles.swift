import Archives

/// The files of an archive that may be reports, and of the archives in it, one after another. One is in
/// memory at a time, with the archives around it.
public struct ArchivedFiles: ~Copyable {
    public enum Finding: Sendable {
        /// With its path inside, where an archive on the way is a folder.
        case file(name: String, UnwrappedFile)
        case problem(HeldFileError)
    }

    /// An archive that is read.
    private final class Layer {
        var members: ArchiveMembers
        /// Its path inside the archive that was given, which itself has none.
        let path: String

        init(_ members: consuming ArchiveMembers, path: String) {
            self.members = members
            self.path = path
        }
    }

    private let opening: FileOpening
    private var layers: [Layer]
    /// Of the archive that was opened last.
    private var damage: HeldFileError?
    private var closedCount = 0

    /// - Parameter damage: Why the archive is not whole.
    init(_ members: consuming ArchiveMembers, _ opening: FileOpening, damage: String?) {
        self.opening = opening
        self.damage = damage.map { HeldFileError(damage: $0, of: opening.name) }
        layers = [Layer(members, path: "")]
    }

    /// How many files were passed over that cannot be reports.
    public var passedCount: Int {
        layers.reduce(closedCount) { $0 + $1.members.unwantedCount }
    }

    /// `nil` at the end.
    public mutating func next() -> Finding? {
        if let damage {
            self.damage = nil
            return .problem(damage)
        }
        while let layer = layers.last {
            switch layer.members.next() {
            case nil: close(layer)
            case .problem(let error): return .problem(HeldFileError(error))
            case .file(let name, let bytes, let damage):
                let path = layer.path.isEmpty ? name : "\(layer.path)/\(name)"
                if let finding = finding(path, bytes, damage.map(FileOpening.words)) {
                    return finding
                }
            }
        }
        return nil
    }

    private mutating func close(_ layer: Layer) {
        closedCount += layer.members.unwantedCount
        layers.removeLast()
        layers.last?.members.budget = layer.members.budget
    }

    /// A file; `nil` for an archive, which is read next.
    private mutating func finding(
        _ path: String, _ bytes: [UInt8], _ damage: String?
    ) -> Finding? {
        var opening = opening
        opening.name += "/\(path)"
        opening.budget = layers.last?.members.budget
        do throws(HeldFileError) {
            switch try opening.open(bytes) {
            case .single(var file):
                file.damage = damage ?? file.damage
                return .file(name: path, file)
            case .archive(let members, let damage):
                guard layers.count <= opening.limits.depth else {
                    let reason = ArchiveError.Reason.tooDeep(limit: opening.limits.depth)
                    return .problem(HeldFileError(ArchiveError(opening.name, reason)))
                }
                self.damage = damage.map { HeldFileError(damage: $0, of: opening.name) }
                layers.append(Layer(members, path: path))
                return nil
            }
        } catch {
            return .problem(error)
        }
    }
}
