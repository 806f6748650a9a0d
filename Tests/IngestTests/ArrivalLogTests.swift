import CallStacks
import Testing

@testable import Ingest

@Suite("The log of arrivals")
struct ArrivalLogTests {
    private func image(_ number: UInt8) throws -> ImageID {
        try #require(ImageID(bytes: [UInt8](repeating: number, count: 16)))
    }

    @Test("tells what arrived since a moment, of what is wanted")
    func since() throws {
        let log = ArrivalLog()
        let images = try (1...4).map(image)
        log.note([images[0]])
        let end = log.end
        log.note([images[1], images[2]])
        #expect(log.arrived(of: Set(images), since: end) == [images[1], images[2]])
        #expect(log.arrived(of: [images[0], images[3]], since: end) == [])
        #expect(log.arrived(of: Set(images), since: log.end) == [])
    }

    @Test("takes everything for arrived where it no longer goes back so far")
    func bounded() throws {
        let log = ArrivalLog(limit: 2)
        let images = try (1...9).map(image)
        for image in images { log.note([image]) }
        #expect(log.end == 9)
        #expect(log.arrived(of: Set(images), since: 0) == Set(images))
        #expect(log.arrived(of: Set(images), since: 7) == Set(images[7...]))
    }
}
