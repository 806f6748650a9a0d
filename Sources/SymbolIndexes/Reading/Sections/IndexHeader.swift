import CallStacks

/// The decoded header of an index.
struct IndexHeader: Equatable, Sendable {
    /// The file offset and length of a section.
    struct Extent: Equatable, Sendable {
        var offset: UInt64 = 0
        var length: UInt64 = 0
    }

    var image: IndexedImage
    var builderRevision: UInt16
    var length: UInt64 = 0
    /// SHA-256 of the debug file, or 32 zeros.
    var digest: [UInt8]
    var shape: IndexShape
    var sections = [Extent](repeating: Extent(), count: IndexSection.allCases.count)

    subscript(section: IndexSection) -> Extent {
        get { sections[section.rawValue] }
        set { sections[section.rawValue] = newValue }
    }
}

/// The part of the header that lookups need: only numbers, so copying needs no reference counting.
struct IndexShape: Equatable, Sendable {
    struct Counts: Equatable, Sendable {
        var entries = 0
        var blocks = 0
        var buckets = 0
        var scopes = 0
        var names = 0
        var files = 0
        var wideColumns = 0
    }

    var flags: IndexFlags
    /// The number of bits by which starts are shifted: 0 or 2.
    var scale = 0
    var bucketShift = IndexLayout.smallestBucketShift
    var counts = Counts()
    var record = ScopeRecord()
}
