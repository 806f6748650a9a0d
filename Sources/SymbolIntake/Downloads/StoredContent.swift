import Decompression
import Glibc

/// The content of a stored debug file, which stays readable if the file is removed meanwhile.
public final class StoredContent: Sendable {
    public let file: StoredDebugFile
    private let blob: String
    private let folders: DataFolders
    private let slot: DownloadLimiter.Slot

    init(
        of file: StoredDebugFile, blob: String, folders: DataFolders, slot: DownloadLimiter.Slot
    ) {
        self.slot = slot
        self.file = file
        self.blob = blob
        self.folders = folders
    }

    deinit { folders.remove(blob) }

    /// Opens a range of the content, to be read in constant memory.
    public func pieces(of range: Range<Int64>) throws -> Pieces {
        let file = unsafe open(blob, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw StorageError(path: blob) }
        do {
            return Pieces(of: range, path: blob, file: file, inflater: try ZstdInflater())
        } catch {
            close(file)
            throw error
        }
    }

    /// Returns the bytes of a range; fewer if the content ends before.
    public func bytes(of range: Range<Int64>) throws -> [UInt8] {
        var pieces = try pieces(of: range)
        var bytes: [UInt8] = []
        while let piece = try pieces.next() { bytes += piece }
        return bytes
    }

    /// The bytes of a range, one piece after another.
    public struct Pieces: ~Copyable {
        private let path: String
        private let file: Int32
        private var inflater: ZstdInflater
        private var input = [UInt8](repeating: 0, count: Self.pieceBytes)
        private var inputRange = 0..<0
        private var window: Window

        /// The number of compressed bytes inflated at a time. A zstd block of 4 bytes inflates to
        /// 128 KiB, so this bounds a piece to 8 MiB.
        private static let inputBytes = 256
        /// The usual size of a piece.
        private static let pieceBytes = 1 << 16

        fileprivate init(
            of range: Range<Int64>, path: String, file: Int32, inflater: consuming ZstdInflater
        ) {
            self.path = path
            self.file = file
            self.inflater = inflater
            window = Window(skipped: range.lowerBound, remaining: Int64(range.count))
        }

        deinit { close(file) }

        /// Returns the next piece, or `nil` at the end of the range or of the content.
        public mutating func next() throws -> [UInt8]? {
            var piece: [UInt8] = []
            var window = window
            defer { self.window = window }
            while piece.count < Self.pieceBytes, window.remaining > 0 {
                if inputRange.isEmpty { inputRange = 0..<(try read()) }
                if inputRange.isEmpty { break }
                let next = inputRange.prefix(Self.inputBytes)
                inputRange = next.upperBound..<inputRange.upperBound
                let compressed = input
                try inflater.add(compressed.span.extracting(next)) { inflated in
                    let wanted = window.advance(by: inflated.count)
                    unsafe inflated.withUnsafeBufferPointer {
                        unsafe piece.append(contentsOf: $0[wanted])
                    }
                }
            }
            return piece.isEmpty ? nil : piece
        }

        private mutating func read() throws(StorageError) -> Int {
            while true {
                let count = unsafe Glibc.read(file, &input, input.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw StorageError(path: path) }
                return count
            }
        }
    }
}

/// The remaining parts of a stream before and in a range.
private struct Window {
    var skipped: Int64
    var remaining: Int64

    /// Moves past the next bytes, and returns which of them are in the range.
    mutating func advance(by count: Int) -> Range<Int> {
        let start = min(Int64(count), skipped)
        let end = start + min(Int64(count) - start, remaining)
        skipped -= start
        remaining -= end - start
        return Int(start)..<Int(end)
    }
}
