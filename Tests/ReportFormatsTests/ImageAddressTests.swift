import CallStacks
import TestSupport
import Testing

@testable import ReportFormats

@Suite("Images by address")
struct ImageAddressTests {
    private func image(_ base: UInt64, _ size: UInt64?) -> ListedImage {
        ListedImage(base: RuntimeAddress(base), size: size)
    }

    private func found(_ address: UInt64, in images: [ListedImage]) -> [UInt64]? {
        ImageAddressMap(images).image(at: RuntimeAddress(address)).map {
            [UInt64($0.position), $0.offset.rawValue]
        }
    }

    @Test("an image contains addresses from its first byte to its last")
    func bounds() {
        let images = [image(0x5000, 0x100), image(0x1000, 0x1000)]
        #expect(found(0x1000, in: images) == [1, 0])
        #expect(found(0x1fff, in: images) == [1, 0xfff])
        #expect(found(0x2000, in: images) == nil)
        #expect(found(0xfff, in: images) == nil)
        #expect(found(0x50ff, in: images) == [0, 0xff])
    }

    @Test("of overlapping images the one that starts last contains the address")
    func overlap() {
        let images = [image(0x1000, 0x9000), image(0x2000, 0x1000)]
        #expect(found(0x2800, in: images) == [1, 0x800])
        #expect(found(0x4000, in: images) == [0, 0x3000])
    }

    @Test(
        "an image without a size ends where the next one starts, and the last at a fixed distance")
    func missingSize() {
        let images = [image(0x1000, nil), image(0x3000, nil)]
        #expect(found(0x2fff, in: images) == [0, 0x1fff])
        #expect(found(0x3000, in: images) == [1, 0])
        #expect(found(0x3000 + ImageAddressMap.implausibleOffset, in: images) == nil)
    }

    @Test("images without size or base contain no address")
    func sentinel() {
        #expect(found(0, in: [image(0, 0), image(0, nil), ListedImage(size: 10)]) == nil)
        #expect(found(.max, in: [image(.max - 1, 100)]) == nil)
    }

    @Test("a signed address is stripped only if no image contains it unchanged")
    func signed() {
        let images = [image(0x1_0000_0000, 0x1000), image(0x7fff_0000_0000, 0x1000)]
        #expect(found(0x1a00_0001_0000_0010, in: images) == [0, 0x10])
        #expect(found(0x00a0_7fff_0000_0020, in: images) == [1, 0x20])
    }

    @Test("an image inside another splits it, whatever their order")
    func pieces() {
        var numbers = SplitMix64(seed: 46)
        for _ in 0..<200 {
            let images = (0..<8).map { _ in
                image(
                    UInt64.random(in: 1..<40, using: &numbers), .random(in: 0..<40, using: &numbers)
                )
            }
            for address in 0..<UInt64(90) {
                let holders = images.enumerated().compactMap { position, image -> [UInt64]? in
                    guard let base = image.base?.rawValue, let size = image.size,
                        base <= address, address < base + size
                    else { return nil }
                    return [base, UInt64(position)]
                }
                let last = holders.max { $0.lexicographicallyPrecedes($1) }
                #expect(found(address, in: images) == last.map { [$0[1], address - $0[0]] })
            }
        }
    }
}
