import FoundationEssentials

/// Removes the files of a cache that were not used for longest until the rest is within a limit, and
/// what was left half written. The time of the last change of a file counts as that of its last use;
/// files that are not the cache's stay.
///
/// - Parameters:
///   - ending: Of the names of the cache's files.
///   - limit: In bytes.
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
