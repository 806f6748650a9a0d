import CallStacks

/// The address ranges of the system's images on Apple's 64-bit systems.
///
/// The numbers are xnu's `SHARED_REGION_BASE_…` and `SHARED_REGION_SIZE_…`
/// (`osfmk/mach/shared_region.h`). An app and its own libraries are mapped below the region on
/// arm64 and x86_64 alike.
enum AppleAddressSpace {
    /// The region has 4 GiB up to iOS 18, and 6 GiB since then.
    static let sharedCacheOnARM64: Range<UInt64> = 0x1_8000_0000..<0x3_0000_0000

    /// The start is `0x7ff8_0000_0000` since 2022 and was `0x7fff_0000_0000`; the end is the same.
    static let sharedCacheOnX86: Range<UInt64> = 0x7ff8_0000_0000..<0x7fff_ffe0_0000

    /// The addresses of apps and their own libraries. Frameworks of the system are all in the
    /// shared cache.
    static let apps: Range<UInt64> = 0x1_0000_0000..<0x1_8000_0000

    /// The start of the kernel's addresses, which are in the upper half of the address space.
    static let kernelStart: UInt64 = 0xffff_0000_0000_0000

    /// Whether the address rules out the shared cache.
    static func isOfApps(_ address: RuntimeAddress, architecture: String?) -> Bool {
        let known = ["arm64", "arm64e", "arm64v8", "x86_64", "x86_64h"]
        return apps.contains(address.rawValue) && architecture.map { known.contains($0) } ?? true
    }

    /// Whether an image at `address` belongs to the system. An unknown architecture may be either
    /// of the two; for any other architecture, the result is `false`.
    ///
    /// - Parameter mayBeOnLinux: Whether the process may not have run on one of Apple's systems, so
    ///   that an address in the shared cache on x86_64 proves nothing.
    static func isSystem(
        _ address: RuntimeAddress, architecture: String?, mayBeOnLinux: Bool
    ) -> Bool {
        let address = address.rawValue
        switch architecture {
        case "arm64", "arm64e", "arm64v8":
            return address >= kernelStart || sharedCacheOnARM64.contains(address)
        case "x86_64", "x86_64h":
            return address >= kernelStart || !mayBeOnLinux && sharedCacheOnX86.contains(address)
        case nil:
            return address >= kernelStart || sharedCacheOnARM64.contains(address)
                || !mayBeOnLinux && sharedCacheOnX86.contains(address)
        default:
            return false
        }
    }
}
