import CallStacks
import DebugFiles
import SymbolStores

/// A hang of an app with many samples, in MetricKit's form: about 1.5 MB of JSON.
///
/// Its frames are at random offsets in the code of the sample app, and of system images without
/// symbols. It is the same in every run.
struct HangTree {
    private var numbers = SplitMix64(state: 42)
    private var bytes: [UInt8] = []
    private let app: (id: ImageID, code: Range<ImageOffset>)

    private static let byteCount = 1_500_000
    /// Real stacks of a main thread have 20 to 80 frames.
    private static let depth = 64
    private static let system: [(name: String, id: String, start: UInt64)] = [
        ("UIKitCore", "3D674A64-ED6B-5B76-A9FD-3132EDA3D546", 0x1_a1b5_4000),
        ("CoreFoundation", "D46666D2-FD08-5A76-9D2B-8651AB4357C0", 0x1_a2b9_0000),
        ("dyld", "93F8EF01-311E-5C78-81F0-4B311AEBD2B4", 0x1_a0ce_0000),
    ]

    /// - Parameter symbols: The folder with the symbols of the fixtures.
    init(symbols folder: String) throws {
        let symbols = "\(folder)/orchard-1.4.0-arm64-release-dwarf4/Orchard.app.dSYM"
        let file = try OpenedDebugFile(path: symbols, architecture: nil).file
        guard let id = file.id, let code = file.layout.code.first else {
            throw MeasureError("\(symbols): has no identity or no code")
        }
        app = (id, code)
    }

    /// The complete payload.
    var text: String { String(decoding: payload, as: UTF8.self) }

    /// The complete payload in UTF-8.
    var payload: [UInt8] {
        var tree = self
        tree.write(
            """
            {"timeStampBegin":"2026-11-20 08:00:00","timeStampEnd":"2026-11-20 09:00:00",\
            "hangDiagnostics":[{"version":"1.0.0","diagnosticMetaData":{"appVersion":"1.4.0",\
            "bundleIdentifier":"com.example.Orchard","hangDuration":"9 sec",\
            "osVersion":"iPhone OS 18.1 (22B83)","platformArchitecture":"arm64e"},\
            "callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,\
            "callStackRootFrames":[
            """)
        // Adds roots of the main thread's tree until the payload is large enough.
        repeat {
            if tree.bytes.last == UInt8(ascii: "}") { tree.write(",") }
            tree.writeFrame(samples: 32, depth: 0)
        } while tree.bytes.count < Self.byteCount
        tree.write("]}]}}]}")
        return tree.bytes
    }

    /// Writes a frame and its callees.
    private mutating func writeFrame(samples: Int, depth: Int) {
        let isOfApp = depth > 12 && Int.random(in: 0..<10, using: &numbers) < 6
        let image = Self.system[Int.random(in: 0..<Self.system.count, using: &numbers)]
        let offset =
            isOfApp
            ? UInt64.random(
                in: app.code.lowerBound.rawValue..<app.code.upperBound.rawValue, using: &numbers)
            : UInt64.random(in: 0x1000..<0x20_0000, using: &numbers)
        let start: UInt64 = isOfApp ? 0x1_04a3_0000 : image.start
        write(
            """
            {"binaryName":"\(isOfApp ? "Orchard" : image.name)",\
            "binaryUUID":"\(isOfApp ? "\(app.id)" : image.id)",\
            "offsetIntoBinaryTextSegment":\(offset & ~3),\
            "address":\(start + offset & ~3),"sampleCount":\(samples)
            """)
        let children = shares(of: samples, depth: depth)
        if !children.isEmpty {
            write(",\"subFrames\":[")
            for (position, share) in children.enumerated() {
                if position > 0 { write(",") }
                writeFrame(samples: share, depth: depth + 1)
            }
            write("]")
        }
        write("}")
    }

    /// Returns the samples of each callee. Usually one callee gets all of them.
    private mutating func shares(of samples: Int, depth: Int) -> [Int] {
        guard depth < Self.depth else { return [] }
        guard samples > 1, Int.random(in: 0..<8, using: &numbers) == 0 else { return [samples] }
        let first = Int.random(in: 1..<samples, using: &numbers)
        return [first, samples - first]
    }

    private mutating func write(_ text: String) { bytes += text.utf8 }
}

/// A random number generator with a seed.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
