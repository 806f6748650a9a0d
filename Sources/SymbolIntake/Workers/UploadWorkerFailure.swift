/// Why a worker process produced no result.
enum UploadWorkerFailure: Error, Hashable, Sendable {
    /// The file cannot be stored, for this reason.
    case refused(String)
    /// A system call failed, which is not the file's fault.
    case failed(StorageError)
    case cancelled
    /// The worker's parent process has ended.
    case orphaned
}
