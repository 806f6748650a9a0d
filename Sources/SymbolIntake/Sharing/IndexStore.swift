/// The port to the storage of built indexes that several nodes share.
///
/// An index can be rebuilt at any time, so losing one only costs time.
public protocol IndexStore: Sendable {
    /// Copies the index of a debug file to `path`.
    ///
    /// - Parameter format: The builder revision that the index must have.
    /// - Returns: Whether an index is stored. One that is damaged counts as missing.
    func fetch(
        _ file: DebugFileKey, format: Int, to path: String
    ) async throws(StorageError) -> Bool

    /// Stores a copy of the index at `path`, in place of an earlier one.
    func keep(
        fileAt path: String, of file: DebugFileKey, format: Int
    ) async throws(StorageError)

    /// Whether the stored index of the debug file differs from the one at `path`, because it was
    /// rebuilt with other names.
    func hasOther(
        than path: String, of file: DebugFileKey, format: Int
    ) async throws(StorageError) -> Bool

    /// Removes the indexes of a debug file in all formats.
    func remove(_ file: DebugFileKey) async throws(StorageError)

    /// Runs `body` unless another node is building the index.
    ///
    /// - Returns: The result, or `nil` if another node is building it.
    func building<Result: Sendable>(
        _ file: DebugFileKey, format: Int, _ body: @Sendable () async throws -> Result
    ) async throws -> Result?
}
