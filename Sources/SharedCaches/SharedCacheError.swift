public import ByteReading

/// The reason why a shared cache, or one of its images, cannot be read.
public struct SharedCacheError: Error, Hashable, Sendable {
    public enum Reason: Error, Hashable, Sendable {
        /// The file does not begin like a file of a shared cache.
        case unrecognised
        /// The file begins with `dyld_v0`, or another version that is not supported.
        case unsupportedVersion
        case bigEndian
        case unsupportedHeader(size: UInt32)
        case tooMany(String, count: UInt64, limit: UInt64)
        /// The file is a subcache or `.symbols` file without its main file.
        case partOfCache
        case reading(ReadingError)
        /// None of the files contains the image's header.
        case unmappedImage
        /// The image's header contradicts the tables of the cache.
        case damagedImage(String)
    }

    public let reason: Reason
    /// The name of the file or image, as passed by the caller.
    public let name: String

    public init(_ reason: Reason, name: String) {
        self.reason = reason
        self.name = name
    }
}

extension SharedCacheError: CustomStringConvertible {
    /// A text such as `dyld_shared_cache_arm64e.01: is part of a cache: give the folder`.
    public var description: String {
        [name, reason.description, reason.suggestion].compactMap(\.self).joined(separator: ": ")
    }
}

extension SharedCacheError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unrecognised: "is not a dyld shared cache"
        case .unsupportedVersion: "version of the shared cache is unsupported, only dyld_v1 is read"
        case .bigEndian: "is a big-endian shared cache, which is unsupported"
        case .unsupportedHeader(let size):
            "header of the shared cache has \(size) bytes, limit is \(CacheHeader.sizeLimit)"
        case .tooMany(let what, let count, let limit): "has \(count) \(what), limit is \(limit)"
        case .partOfCache: "is part of a cache"
        case .reading(let error): error.description
        case .unmappedImage: "is in none of the files of the cache"
        case .damagedImage(let problem): "is damaged (\(problem))"
        }
    }

    /// The next step, or `nil` if there is none.
    public var suggestion: String? {
        switch self {
        case .partOfCache: "give the folder"
        case .unmappedImage: "copy the whole cache"
        default: nil
        }
    }
}
