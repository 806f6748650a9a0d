import CallStacks

/// The header of an index, as numbers.
struct IndexHeader: Equatable, Sendable {
    /// Where a section starts in the file, and its length.
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

/// What of the header a lookup needs: numbers alone, so that passing it on costs no reference count.
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
    /// By how many bits starts are shifted: 0 or 2.
    var scale = 0
    var bucketShift = IndexLayout.smallestBucketShift
    var counts = Counts()
    var record = ScopeRecord()
}
