import CallStacks

/// Where Apple's 64-bit systems map what is not the app's.
///
/// The numbers are xnu's `SHARED_REGION_BASE_…` and `SHARED_REGION_SIZE_…`
/// (`osfmk/mach/shared_region.h`). An app and the libraries that it brings are mapped below the
/// region on arm64 and x86_64 alike.
enum AppleAddressSpace {
    /// 4 GiB up to iOS 18, 6 GiB since.
    static let sharedCacheOnARM64: Range<UInt64> = 0x1_8000_0000..<0x3_0000_0000

    /// From 2022 on it starts at `0x7ff8_0000_0000`, before at `0x7fff_0000_0000`; the end is the same.
    static let sharedCacheOnX86: Range<UInt64> = 0x7ff8_0000_0000..<0x7fff_ffe0_0000

    /// Where apps and the libraries that they bring are mapped. Frameworks of the system are not: all
    /// of them are in the shared cache.
    static let apps: Range<UInt64> = 0x1_0000_0000..<0x1_8000_0000

    /// The upper half of the address space is the kernel's.
    static let kernelStart: UInt64 = 0xffff_0000_0000_0000

    /// Whether an image at `address` is none of those in the shared cache.
    static func isOfApps(_ address: RuntimeAddress, architecture: String?) -> Bool {
        let known = ["arm64", "arm64e", "arm64v8", "x86_64", "x86_64h"]
        return apps.contains(address.rawValue) && architecture.map { known.contains($0) } ?? true
    }

    /// Whether an image at `address` belongs to the system. An architecture that is not known may
    /// be either of the two; one that Apple does not have says no.
    static func isSystem(_ address: RuntimeAddress, architecture: String?) -> Bool {
        let address = address.rawValue
        switch architecture {
        case "arm64", "arm64e", "arm64v8":
            return address >= kernelStart || sharedCacheOnARM64.contains(address)
        case "x86_64", "x86_64h":
            return address >= kernelStart || sharedCacheOnX86.contains(address)
        case nil:
            return address >= kernelStart || sharedCacheOnARM64.contains(address)
                || sharedCacheOnX86.contains(address)
        default:
            return false
        }
    }
}
