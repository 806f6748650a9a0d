public import CallStacks
public import DebugFiles

/// One slice of one uploaded file, regardless of its owner. Indexes are stored by it.
public struct DebugFileKey: Hashable, Sendable {
    public var image: ImageID
    public var architecture: String
    public var blob: String
    /// The blob of its companions, or `nil` if it has none. Owners of the same file may have
    /// different ones, and must not see each other's names.
    public var companions: String?

    public init(
        image: ImageID, architecture: String, blob: String, companions: String? = nil
    ) {
        self.image = image
        self.architecture = architecture
        self.blob = blob
        self.companions = companions
    }
}

/// One slice of one uploaded file, as stored for one owner.
public struct StoredDebugFile: Hashable, Sendable {
    public var owner: SymbolOwner
    public var image: ImageID
    /// The architecture's name, such as `arm64e`.
    public var architecture: String
    /// The file's name.
    public var name: String
    public var kind: String
    public var quality: DebugFileSummary.Quality
    /// The completeness, or `nil` if an earlier version stored the file.
    public var completeness: Completeness?
    /// The name of the blob with the file: its SHA-256, in hexadecimal digits.
    public var blob: String
    /// The size of the whole file, before compression.
    public var byteCount: Int64
    /// The size of the blob as stored.
    public var storedByteCount: Int64
    public var upload: UnixTime
    public var lastUse: UnixTime
    public var warnings: [String]
    /// The executable beside a debug file without code, if one was uploaded.
    public var executable: StoredExecutable?
    /// The files that it is indexed with, or `nil` if it needs none or none were uploaded.
    public var companions: StoredCompanions?

    public init(
        owner: SymbolOwner = .everyone, image: ImageID, architecture: String, name: String,
        kind: String, quality: DebugFileSummary.Quality, completeness: Completeness? = nil,
        blob: String, byteCount: Int64, storedByteCount: Int64, upload: UnixTime,
        warnings: [String] = []
    ) {
        self.owner = owner
        self.image = image
        self.architecture = architecture
        self.name = name
        self.kind = kind
        self.quality = quality
        self.completeness = completeness
        self.blob = blob
        self.byteCount = byteCount
        self.storedByteCount = storedByteCount
        self.upload = upload
        lastUse = upload
        self.warnings = warnings
    }

    public var key: DebugFileKey {
        DebugFileKey(
            image: image, architecture: architecture, blob: blob, companions: companions?.blob)
    }
}

/// A filter for debug files. A property that is `nil` matches everything.
public struct DebugFileQuery: Hashable, Sendable {
    /// The owners whose files may be listed.
    public var access = DebugFileAccess.everything
    /// The app that owns the files.
    public var app: String?
    public var version: String?
    public var build: String?
    public var image: ImageID?
    public var limit: Int

    public init(limit: Int = 1_000) { self.limit = limit }
}
