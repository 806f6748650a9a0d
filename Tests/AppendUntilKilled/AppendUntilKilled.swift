import CallStacks
import EmbeddedDatabase
import Glibc
import Ingest

/// Appends to a database from several tasks, and prints the number and the key of each entry when
/// it is acknowledged; until it is killed.
///
///     append-until-killed FOLDER
@main
struct AppendUntilKilled {
    static func main() async throws {
        let database = try EmbeddedDatabase(folder: CommandLine.arguments[1])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    while true { try await append(to: database, size: 300 * task) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Bodies begin with their key.
    private static func append(to database: EmbeddedDatabase, size: Int) async throws {
        var numbers = SystemRandomNumberGenerator()
        let drafts = (0..<2).map { _ in
            let key = EntryKey.random(using: &numbers)
            return JournalDraft(
                key: key, arrival: UnixTime(rawValue: 1), kind: .logs,
                body: key.bytes + [UInt8](repeating: key.bytes[0], count: size))
        }
        let appended = try await database.append(drafts).compactMap(\.self)
        tell(zip(appended, drafts).map { "\($0) \($1.key.bytes)\n" }.joined())
        try await database.advance(JournalReaders.worker, to: appended[0])
    }

    /// Writes a line at once, so that lines of tasks do not mix.
    private static func tell(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    }
}
