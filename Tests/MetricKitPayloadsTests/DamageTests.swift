import CallStacks
import MetricKitPayloads
import Problems
import TestSupport
import Testing

@Suite("Damaged JSON")
struct DamageTests {
    private let sample = payload(
        diagnostic(
            tree(
                [frame(64, at: 0x1_0000_0040, [frame(32, at: 0x1_0000_0020, samples: 1)])],
                [frame(16, name: "Caf\u{e9}")]), metadata: "\"signal\":11"))

    @Test("has its frames, and the position where it is truncated")
    func truncated() throws {
        let text = """
            {"callStacks":[{"callStackRootFrames":[{"binaryUUID":"\(uuid(1))",
            "offsetIntoBinaryTextSegment":64,"subFrames":[{"binaryUUID":"\(uuid(1))",
            "offsetIntoBinaryTextSegment":32},{"binaryUUID":"\(uuid(1))","offsetInto
            """
        let payload = read(text.replacing("\n", with: ""))
        let element = try #require(payload.elements.first)
        #expect(element.remarks == [.jsonTruncated])
        #expect(element.unread.map(\.remark) == [.jsonTruncated])
        let diagnostic = try #require(element.diagnostics.first).resolved()
        #expect(diagnostic.remarks == [.jsonTruncated])
        #expect(diagnostic.offsets == [64, 32])
        #expect(diagnostic.tree.frames.map(\.parent) == [nil, 0])
    }

    @Test("with a syntax error has the frames before it")
    func invalid() throws {
        let text = sample.replacing("\"sampleCount\":1", with: "\"sampleCount\":x")
        let element = try #require(read(text).elements.first)
        #expect(element.remarks == [.jsonInvalid])
        #expect(element.unread.first?.problem.detail == "expected a value")
        #expect(element.diagnostics.map(\.frameCount) == [1])
        #expect(element.diagnostics.map(\.remarks) == [[.jsonInvalid]])
    }

    @Test("keeps the frames in one that lost its own fields")
    func lostOuter() throws {
        let text = "{\"callStacks\":[{\"callStackRootFrames\":[{\"subFrames\":[\(frame(64)),"
        let salvaged = try received(text).resolved()
        #expect(salvaged.offsets == [64])
        // Its caller is lost, so it is not the place where the thread was stopped.
        #expect(salvaged.lookups == [63])
    }

    @Test("without a frame has no diagnostic")
    func noFrame() throws {
        let text = "{\"callStacks\":[{\"callStackRootFrames\":[{\"binaryUUID\":"
        let element = try #require(read(text).elements.first)
        #expect(element.diagnostics.isEmpty)
        #expect(element.remarks == [.jsonTruncated])
        #expect(element.range == 0..<53)
    }

    @Test("marks only the truncated diagnostic")
    func secondOfTwo() {
        let one = diagnostic(tree([frame(64)]))
        let text = "{\"crashDiagnostics\":[\(one),\(one.dropLast(30))"
        #expect(read(text).diagnostics.map(\.remarks) == [[], [.jsonTruncated]])
    }

    @Test("truncated at later positions has at least as many frames")
    func everyCut() throws {
        let bytes = Array(sample.utf8)
        var frames = 0
        for end in 0...bytes.count {
            let payload = PayloadReader().read(Array(bytes[..<end]))
            let count = payload.diagnostics.reduce(0) { $0 + $1.frameCount }
            #expect(count >= frames, "cut at \(end)")
            for diagnostic in payload.diagnostics {
                for offset in diagnostic.resolved().offsets.compactMap({ $0 }) {
                    #expect([64, 32, 16].contains(offset), "cut at \(end)")
                }
            }
            #expect(payload.elements.allSatisfy { $0.range.upperBound <= end })
            frames = count
        }
        #expect(frames == 3)
    }

    @Test("of any kind neither traps nor hangs", arguments: UInt64(0)..<300)
    func mutations(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let samples = [
            sample, "[\(sample),\(sample)]", logs(attributes: stack(sample)), callStackSymbols,
        ]
        var bytes = Array((samples.randomElement(using: &numbers) ?? sample).utf8)
        for _ in 0..<Int.random(in: 1...8, using: &numbers) { mutate(&bytes, using: &numbers) }
        let payload = PayloadReader().read(bytes)
        for element in payload.elements {
            #expect(element.range.upperBound <= bytes.count)
            for diagnostic in element.diagnostics {
                let resolved = diagnostic.resolved()
                #expect(resolved.tree.frames.count == diagnostic.frameCount)
            }
        }
        #expect(!payload.elements.isEmpty)
    }

    @Test("of random bytes is reported", arguments: UInt64(0)..<100)
    func random(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let bytes = (0..<500).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        for start in [[], [0x7b], [0x5b], [0x22]] as [[UInt8]] {
            let payload = PayloadReader().read(start + bytes)
            #expect(payload.diagnostics.isEmpty)
            #expect(payload.elements.contains { !$0.remarks.isEmpty })
        }
    }

    @Test("is read a bounded number of times, however many values are broken")
    func manyBroken() {
        let text = String(repeating: "{\"a\":\n", count: 2_000) + sample
        let payload = read(text)
        #expect(payload.elements.count < 1_000)
        #expect(payload.remarks == [.sizeLimit])
    }

    private func mutate(_ bytes: inout [UInt8], using numbers: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &numbers)
        let structure = Array("{}[]\",:\\0-e.u\n ".utf8)
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: bytes.remove(at: place)
        case 1: bytes[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &numbers)
        case 2: bytes.insert(structure.randomElement(using: &numbers) ?? 0, at: place)
        case 3: bytes.removeSubrange(place..<min(place + 20, bytes.count))
        default: bytes.insert(contentsOf: bytes[place..<min(place + 40, bytes.count)], at: place)
        }
    }
}
