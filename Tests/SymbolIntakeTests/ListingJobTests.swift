import Foundation
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Listing of uploads", .ownThreads)
struct ListingJobTests {
    @Test("a listing stops at the limit with a refusal", arguments: [2, 3])
    func limit(count: Int) throws {
        let intake = try Intake()
        let bundle = intake.storage.folders.newIncomingPath()
        try FileManager.default.createDirectory(
            atPath: bundle, withIntermediateDirectories: false)
        for number in 1...count {
            try Data(library(UInt8(number))).write(
                to: URL(fileURLWithPath: "\(bundle)/\(number)"))
        }
        var job = ListingJob(
            bundle: bundle, folder: "/nowhere", name: "upload", unpackedBytesLimit: 1 << 30)
        job.linesLimit = 2
        var lines: [String] = []
        job.run { lines.append(String(decoding: $0, as: UTF8.self)) }
        #expect(lines.count == count)
        #expect(lines.allSatisfy { $0.hasSuffix("}\n") })
        let refusals = lines.filter { $0.contains("\"reason\":\"has more than 2 files\"") }
        #expect(refusals.count == count - 2)
    }
}
