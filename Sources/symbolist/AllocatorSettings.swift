import CMalloc

/// The settings of glibc's allocator. Apply them before other threads allocate memory.
enum AllocatorSettings {
    /// Applies the settings of the service.
    ///
    /// By default, glibc raises its mmap threshold to the size of each large buffer that is freed,
    /// and then allocates buffers of that size from its heaps. Bodies of some megabytes, which stay
    /// in memory until a slow exporter has sent them, then leave unused holes in the heaps, and the
    /// service grows to several times its own limits. Setting either of the two numbers disables
    /// this.
    static func applyForService() {
        // Buffers from this size on are separate mappings, which are returned to the system when
        // they are freed. It is far above the needs of most requests, because a mapping costs a
        // page fault per page.
        mallopt(M_MMAP_THRESHOLD, 512 << 10)
        // The amount of free memory kept at the end of a heap.
        mallopt(M_TRIM_THRESHOLD, 1 << 20)
    }

    /// Applies the settings of commands that build an index and end soon afterwards: freed memory
    /// is reused by all threads rather than returned to the system.
    ///
    /// The arrays of a builder grow to many megabytes, and each page of a separate mapping costs a
    /// page fault. Huge pages would save more faults, but are slow to allocate in a virtual machine
    /// that returns free memory to its host.
    static func applyForIndexing() {
        mallopt(M_ARENA_MAX, 1)
        // The greatest threshold that glibc accepts.
        mallopt(M_MMAP_THRESHOLD, 32 << 20)
        mallopt(M_TRIM_THRESHOLD, .max)
    }
}
