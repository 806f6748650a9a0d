private import CLibZstd
private import Synchronization

/// Bytes in one zstd frame that says how long they are (RFC 8878), as databases keep them.
public struct ZstdBlock: Sendable {
    /// The frame.
    public let bytes: [UInt8]

    /// A frame that was made by ``init(compressing:level:)`` before.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter level: From 1, fast, to 19, small; the library's own limits hold beyond.
    public init(compressing content: [UInt8], level: Int) throws(ZstdBlockError) {
        guard let context = ZstdContext.borrowed() else {
            throw ZstdBlockError(description: "no memory for zstd")
        }
        defer { context.giveBack() }
        let room = ZSTD_compressBound(content.count)
        var result = 0
        bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { target, count in
            result = unsafe context.compress(content, into: target, level: Int32(clamping: level))
            count = ZSTD_isError(result) == 0 ? result : 0
        }
        try Self.check(result)
    }

    /// What was compressed.
    ///
    /// - Parameter limit: The most bytes that the caller has room for. It is held against the size
    ///   that the frame declares before any memory is taken.
    public func inflated(limit: Int) throws(ZstdBlockError) -> [UInt8] {
        // The two largest numbers stand for an unknown size and for no frame at all.
        let declared = unsafe ZSTD_getFrameContentSize(bytes, bytes.count)
        guard declared <= UInt64(limit) else {
            throw ZstdBlockError(description: "zstd frame declares no size, or one over \(limit)")
        }
        var result = 0
        let content = unsafe [UInt8](unsafeUninitializedCapacity: Int(declared)) { target, count in
            result = unsafe ZSTD_decompress(
                target.baseAddress, Int(declared), bytes, bytes.count)
            count = ZSTD_isError(result) == 0 ? result : 0
        }
        try Self.check(result)
        guard content.count == Int(declared) else {
            throw ZstdBlockError(description: "zstd frame is shorter than declared")
        }
        return content
    }

    private static func check(_ result: Int) throws(ZstdBlockError) {
        guard ZSTD_isError(result) != 0 else { return }
        throw ZstdBlockError(description: unsafe String(cString: ZSTD_getErrorName(result)))
    }
}

/// What zstd said of bytes that it could not pack or unpack.
public struct ZstdBlockError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
}

/// What zstd needs to pack, kept from one block to the next, because to set it up takes as long as
/// to pack some kilobytes.
@safe
private struct ZstdContext: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// As many wait to be used again; further ones are freed.
    private static let keptLimit = 8
    private static let kept = Mutex<[Self]>([])

    static func borrowed() -> Self? {
        kept.withLock { $0.popLast() } ?? Self()
    }

    private init?() {
        guard let pointer = unsafe ZSTD_createCCtx() else { return nil }
        unsafe self.pointer = pointer
    }

    func giveBack() {
        let isKept = Self.kept.withLock { kept in
            guard kept.count < Self.keptLimit else { return false }
            kept.append(self)
            return true
        }
        if !isKept { _ = unsafe ZSTD_freeCCtx(pointer) }
    }

    func compress(
        _ bytes: [UInt8], into target: UnsafeMutableBufferPointer<UInt8>, level: Int32
    ) -> Int {
        unsafe ZSTD_compressCCtx(
            pointer, target.baseAddress, target.count, bytes, bytes.count, level)
    }
}
