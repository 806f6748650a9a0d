import Foundation
import Problems

/// The file that marks a data folder whose contents are being moved, or were moved, to a shared
/// database.
///
/// If a service ran on the folder in between, it would accept requests that the move misses, and
/// process those that were already moved.
struct MoveMark {
    enum State: String, Codable {
        case begun
        case finished
    }

    private struct Contents: Codable {
        var id: UUID
        var database: String
        var state: State
    }

    static let fileName = "symbolist.moved"

    let folder: String
    private var contents: Contents

    /// The identifier of the folder in the database.
    var id: UUID { contents.id }
    /// The hosts and the name of the database.
    var database: String { contents.database }
    var isFinished: Bool { contents.state == .finished }

    /// Returns a mark that is not written yet.
    init(folder: String, database: String) {
        self.folder = folder
        contents = Contents(id: UUID(), database: database, state: .begun)
    }

    /// Reads the mark of a folder, or returns `nil` if the folder has none.
    init?(ofFolder folder: String) throws {
        let path = "\(folder)/\(Self.fileName)"
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        do {
            contents = try JSONDecoder().decode(Contents.self, from: data)
        } catch {
            throw Problem(
                path, detail: "is not the mark of a move",
                suggestion: "remove it if the folder was not moved")
        }
        self.folder = folder
    }

    /// Writes the mark, so that it survives a power failure.
    func write() throws {
        let path = "\(folder)/\(Self.fileName)"
        try JSONEncoder().encode(contents).write(to: URL(filePath: path), options: .atomic)
        for path in [path, folder] {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            try file.synchronize()
            try file.close()
        }
    }

    mutating func finish() throws {
        contents.state = .finished
        try write()
    }

    /// The reason why no service runs on the folder.
    var refusal: Problem {
        isFinished
            ? Problem(
                "data", detail: "'\(folder)' was moved to \(database)",
                suggestion: "set database.url and blobs.url, or use another folder")
            : Problem(
                "data", detail: "'\(folder)' is being moved to \(database)",
                suggestion: "run symbolist move again until it is finished")
    }
}
