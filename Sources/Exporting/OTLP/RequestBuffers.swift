import Ingest
import NIOCore
import Synchronization

/// The buffers in which the requests of batches are joined, reused for later batches.
///
/// A new buffer of some megabytes would be a mapping of its own, and cost a page fault per page.
final class RequestBuffers: Sendable {
    private let free = Mutex<[ByteBuffer]>([])
    private let countLimit: Int
    private let bytesLimit: Int

    /// - Parameters:
    ///   - countLimit: The maximum number of buffers that are kept.
    ///   - bytesLimit: The maximum capacity of a buffer that is kept.
    init(countLimit: Int, bytesLimit: Int) {
        self.countLimit = countLimit
        self.bytesLimit = bytesLimit
    }

    /// Returns the requests of a batch in one buffer.
    func joined(_ batch: ExportBatch) -> ByteBuffer {
        var buffer = free.withLock { $0.popLast() } ?? ByteBuffer()
        buffer.clear(minimumCapacity: batch.byteCount)
        for request in batch.requests { buffer.writeBytes(request) }
        return buffer
    }

    /// Keeps a buffer for another batch. If its bytes are still being sent, its memory is not
    /// overwritten, but replaced.
    func reuse(_ buffer: ByteBuffer) {
        guard buffer.capacity <= bytesLimit else { return }
        free.withLock { free in
            if free.count < countLimit { free.append(buffer) }
        }
    }
}
