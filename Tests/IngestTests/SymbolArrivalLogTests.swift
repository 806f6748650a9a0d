import CallStacks
import SymbolIntake
import Testing

@testable import Ingest

@Suite("The log of symbol arrivals")
struct SymbolArrivalLogTests {
    private func arrival(_ number: UInt8, of app: String? = nil) throws -> UpdatedImage {
        let image = try #require(ImageID(bytes: [UInt8](repeating: number, count: 16)))
        return UpdatedImage(image, of: SymbolOwner(app: app))
    }

    private func wanted(_ arrivals: some Sequence<UpdatedImage>) -> [WantedImage] {
        arrivals.map {
            WantedImage(
                image: $0.image, name: nil, architecture: nil, isInApp: true, frameCount: 1)
        }
    }

    @Test("returns the wanted images that arrived since a moment")
    func since() throws {
        let log = SymbolArrivalLog()
        let images = [
            try arrival(1), try arrival(2, of: "a"), try arrival(3, of: "b"), try arrival(4),
        ]
        log.note([images[0]])
        let end = log.end
        log.note([images[1], images[2]])
        #expect(log.arrived(of: wanted(images), since: end) == [images[1], images[2]])
        #expect(log.arrived(of: wanted([images[0], images[3]]), since: end) == [])
        #expect(log.arrived(of: wanted(images), since: log.end) == [])
    }

    @Test("returns all wanted images if it no longer reaches back that far")
    func bounded() throws {
        let log = SymbolArrivalLog(limit: 2)
        let images = try (1...9).map { try arrival($0) }
        for image in images { log.note([image]) }
        #expect(log.end == 9)
        #expect(log.arrived(of: wanted(images), since: 0) == Set(images))
        #expect(log.arrived(of: wanted(images), since: 7) == Set(images[7...]))
    }
}
