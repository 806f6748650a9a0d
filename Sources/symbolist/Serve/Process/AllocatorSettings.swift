import CMalloc

/// The settings of glibc's allocator while the service runs.
///
/// By default, glibc raises its mmap threshold to the size of each large buffer that is freed, and
/// then allocates buffers of that size from its heaps. Bodies of some megabytes, which stay in
/// memory until a slow exporter has sent them, then leave unused holes in the heaps, and the
/// service grows to several times its own limits. Setting either of the two numbers disables this.
enum AllocatorSettings {
    /// The size from which buffers are separate mappings, which the system gets back when they are
    /// freed. It is far above the needs of most requests, because a mapping costs a page fault per
    /// page.
    private static let mappedBytes: Int32 = 512 << 10
    /// The amount of free memory kept at the end of a heap.
    private static let keptBytes: Int32 = 1 << 20

    /// Applies the settings. Call this before allocating large buffers.
    static func apply() {
        mallopt(M_MMAP_THRESHOLD, mappedBytes)
        mallopt(M_TRIM_THRESHOLD, keptBytes)
    }
}
