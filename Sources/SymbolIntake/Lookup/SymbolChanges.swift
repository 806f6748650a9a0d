public import CallStacks

/// The changes of stored symbols that the lookups of this process reflect.
///
/// The catalogue numbers its changes in the order in which they are on disk. Lookups reflect a
/// change a moment later, when the cached results of its image are removed.
public protocol SymbolChanges: Sendable {
    /// The number of the last change that every later lookup reflects, together with all earlier
    /// changes; 0 before the first change.
    var lastReflected: Int64 { get }

    /// Whether an upload that contains the image is being processed. The diagnostics that wait for
    /// its images are sent again once it ends, so that its files cause one revision.
    func isArriving(_ image: ImageID) -> Bool

    /// Waits for those indexes of the images that lookups have continued without, so that later
    /// lookups use them.
    ///
    /// - Parameter limit: The maximum time to wait for an index.
    func waitForDelayedIndexes(of images: Set<ImageID>, atMost limit: Duration) async

    /// Records a change of those images whose symbols are stored for an access, so that the
    /// diagnostics that wait for them are sent again. Skips images that this process cannot use yet
    /// and will announce later.
    ///
    /// - Parameter includesIncomplete: Whether files with less information than lines count.
    func announceStored(
        among images: [ImageID], for access: DebugFileAccess,
        includingIncomplete includesIncomplete: Bool
    ) async throws
}
