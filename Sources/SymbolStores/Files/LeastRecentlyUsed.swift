import FoundationEssentials

/// Removes the least recently used files of a cache until the rest is within a limit, and abandoned
/// drafts. The modification time of a file is that of its last use. Unrelated files are kept.
///
/// - Parameters:
///   - ending: The suffix of the names of the cache's files.
///   - limit: The size limit in bytes.
package func removeLeastRecentlyUsed(in folder: String, ending: String, keeping limit: Int64) {
    let now = Int64(Date().timeIntervalSince1970)
    var files: [(path: String, status: FileStatus)] = []
    for name in (try? folderEntries(of: folder)) ?? [] {
        let file = "\(folder)/\(name)"
        guard name.hasSuffix(ending) || name.hasSuffix(IndexFolder.draftEnding),
            let status = try? FileStatus(of: file)
        else { continue }
        if name.hasSuffix(ending) {
            files.append((file, status))
        } else if status.modifiedSeconds < now - IndexFolder.draftLifetime {
            try? FileManager.default.removeItem(atPath: file)
        }
    }
    var total: Int64 = 0
    for file in files.sorted(by: { $0.status.modifiedSeconds > $1.status.modifiedSeconds }) {
        total += file.status.size
        if total > limit { try? FileManager.default.removeItem(atPath: file.path) }
    }
}
