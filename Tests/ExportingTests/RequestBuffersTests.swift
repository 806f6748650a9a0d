import Ingest
import NIOCore
import Testing

@testable import Exporting

/// The buffers in which the requests of a batch are joined.
@Suite struct RequestBuffersTests {
    @Test func joinsRequestsInMemoryOfEarlierBatches() {
        let buffers = RequestBuffers(countLimit: 1, bytesLimit: 64)
        let first = buffers.joined(batch("first"))
        let place = address(of: first)
        #expect(String(buffer: first) == "first")
        buffers.reuse(first)
        let copy = buffers.joined(batch("next"))
        // `first` still refers to its memory, which is therefore not overwritten.
        #expect(String(buffer: first) == "first")
        #expect(String(buffer: copy) == "next")
        #expect(address(of: copy) != place)
    }

    @Test func reusesMemoryThatIsNoLongerReferredTo() {
        let buffers = RequestBuffers(countLimit: 1, bytesLimit: 64)
        let place = joinAndReuse("first", in: buffers)
        #expect(joinAndReuse("second", in: buffers) == place)
    }

    @Test func doesNotKeepLargeBuffers() {
        let buffers = RequestBuffers(countLimit: 1, bytesLimit: 64)
        let large = buffers.joined(batch(String(repeating: "x", count: 65)))
        buffers.reuse(large)
        #expect(buffers.joined(batch("small")).capacity <= 64)
    }

    private func joinAndReuse(_ text: String, in buffers: RequestBuffers) -> UInt {
        let buffer = buffers.joined(batch(text))
        #expect(String(buffer: buffer) == text)
        buffers.reuse(buffer)
        return address(of: buffer)
    }

    private func batch(_ text: String) -> ExportBatch {
        ExportBatch(signal: .logs, body: Array(text.utf8), recordCount: 1)
    }

    private func address(of buffer: ByteBuffer) -> UInt {
        unsafe buffer.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
    }
}
