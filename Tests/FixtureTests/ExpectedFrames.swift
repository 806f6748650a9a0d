import Foundation
import Testing

/// What a fixture's `.expected.json` says: the frames that the markers in the sources give.
struct ExpectedFrames: Decodable {
    struct Frame: Decodable {
        /// Such as `crashDiagnostics[0]`, where the payload holds several diagnostics.
        var diagnostic: String?
        var thread: Int
        /// The position in the thread, as received.
        var index: Int
        var image: String
        var uuid: String
        var offset: UInt64
        var lookup: UInt64
        var samples: UInt64?
        /// Innermost first.
        var chain: [Function]
        /// Why the optimiser left nothing of the marker, where it did.
        var lost: String?
    }

    struct Function: Decodable {
        var function: String
        var file: String?
        var path: String?
        var line: UInt32
        var inlined: Bool
    }

    var frames: [Frame]
}

/// A diagnostic of the fixtures beside what is expected of it.
struct Fixture: Sendable, CustomTestStringConvertible {
    /// `build/scenario.form`, below `Fixtures/Diagnostics`.
    let name: String
    let input: URL
    let expectation: URL

    var testDescription: String { name }
}
