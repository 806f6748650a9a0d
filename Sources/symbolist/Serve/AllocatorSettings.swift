import CMalloc

/// How the allocator of the C library keeps memory while the service runs.
///
/// By itself glibc learns from each large buffer that is freed, and cuts the next ones of that size
/// out of its heaps. Bodies of some megabytes, which live for as long as an exporter is behind, then
/// leave holes between them that nothing fills, and a service whose own bounds hold grows to several
/// times of them. Setting either number ends the learning.
enum AllocatorSettings {
    /// Buffers from this size on are mappings of their own, which the system gets back when they are
    /// freed. Far above what most requests need, because a mapping costs a page fault for each page.
    private static let mappedBytes: Int32 = 512 << 10
    /// What may stay free at the end of a heap.
    private static let keptBytes: Int32 = 1 << 20

    /// To be called before anything large is allocated.
    static func apply() {
        mallopt(M_MMAP_THRESHOLD, mappedBytes)
        mallopt(M_TRIM_THRESHOLD, keptBytes)
    }
}
