import CallStacks
import MetricKitPayloads
import Testing

@Suite("Irregular frames and stacks")
struct IrregularTests {
    @Test("keep every root of a crash stack, the first one first")
    func severalRoots() throws {
        let crash = try resolved(
            tree([frame(64, [frame(32)]), frame(16)], [], [frame(8)], attributed: 1),
            as: "crashDiagnostics"
        ).tree
        #expect(crash.stacks.map(\.frames) == [0..<3, 3..<3, 3..<4])
        #expect(crash.stacks.map(\.isAttributed) == [false, true, false])
        #expect(crash.frames.map(\.parent) == [nil, 0, nil, nil])
    }

    @Test(
        "identify one image by its UUID in any spelling",
        arguments: [
            "6527276E-A3D1-30FB-BA68-ACA33324D618", "6527276e-a3d1-30fb-ba68-aca33324d618",
            "6527276EA3D130FBBA68ACA33324D618", "{6527276E-A3D1-30FB-BA68-ACA33324D618}",
        ])
    func spellings(text: String) throws {
        let crash = try received(tree([frame(64)]).replacing(uuid(1), with: text))
        #expect(crash.imageIDs.map(\.description) == ["6527276E-A3D1-30FB-BA68-ACA33324D618"])
    }

    @Test(
        "keep a frame with an invalid UUID, and its name and offset",
        arguments: [
            "\"6527276E\"", "\"\"", "7", "\"xyz\"", "\"00000000-0000-0000-0000-000000000000\"",
            "\"6527276E-A3D1-30FB-BA68-ACA33324D61800\"",
        ])
    func invalidUUID(text: String) throws {
        let received = try received(tree([frame(64)]).replacing("\"\(uuid(1))\"", with: text))
        let frame = try #require(received.resolved().tree.frames.first)
        #expect(frame.remarks == [.invalidUUID])
        #expect(frame.imageName == "Shop")
        #expect(frame.site?.offset.rawValue == 64)
        #expect(received.imageIDs.isEmpty)
    }

    @Test("keep a frame without UUID or name, and take the name known for its image")
    func missingFields() throws {
        let crash = try resolved(
            tree([frame(64, image: nil)], [frame(64, name: nil)], [frame(32, image: 2, name: nil)]))
        #expect(crash.tree.frames.map(\.imageName) == ["Shop", nil, nil])
        #expect(crash.tree.frames.map(\.remarks) == [[.noUUID], [], []])
        let named = try resolved(tree([frame(64)], [frame(64, name: nil)]))
        #expect(named.tree.frames.map(\.imageName) == ["Shop", "Shop"])
        let empty = try resolved("{\"callStacks\":[{\"callStackRootFrames\":[{},7]}]}")
        #expect(empty.tree.frames.map(\.remarks) == [[.noUUID, .noOffset], [.noUUID, .noOffset]])
    }

    @Test("keep one name under two UUIDs as two images")
    func twoImages() throws {
        let received = try received(tree([frame(64, [frame(32, image: 2)])]))
        #expect(received.imageIDs == [imageID(1), imageID(2)])
    }

    @Test("keep stacks without frames, and forms mixed in one tree")
    func mixedStacks() throws {
        let text = """
            {"callStacks":[{"threadAttributed":true},{"callStackRootFrames":[\(frame(64))]},
            {"callStackFrames":[{"binaryUUID":"\(uuid(1))","offsetAddress":32,"binaryName":"Shop"}]},7]}
            """
        let tree = try resolved(text).tree
        #expect(tree.stacks.map(\.frames.count) == [0, 1, 1, 0])
        #expect(tree.frames.map { $0.site?.lookupOffset.rawValue } == [64, 32])
    }
}

@Suite("The limits of a payload")
struct LimitTests {
    private func remarks(_ text: String, _ change: (inout PayloadLimits) -> Void) throws -> [Remark]
    {
        var limits = PayloadLimits()
        change(&limits)
        let diagnostic = try received(text, limits: limits).resolved()
        return diagnostic.tree.remarks + diagnostic.tree.frames.flatMap(\.remarks)
    }

    @Test("apply to frames, stacks, nesting, images and names, and are marked one past")
    func limits() throws {
        let nested = tree([chain([(64, nil, "dyld"), (32, nil, "Shop")])])
        #expect(try remarks(nested) { $0.framesPerTree = 2 } == [])
        #expect(try remarks(nested) { $0.framesPerTree = 1 }.contains(.frameLimit))
        #expect(try remarks(nested) { $0.nestedFrames = 2 } == [])
        #expect(try remarks(nested) { $0.nestedFrames = 1 }.contains(.depthLimit))
        #expect(try remarks(nested) { $0.nameLength = 4 } == [])
        #expect(
            try remarks(nested) { $0.nameLength = 3 } == [
                .orientationDefault, .sizeLimit, .sizeLimit,
            ])
        let stacks = tree([frame(64)], [frame(64, image: 2)])
        #expect(try remarks(stacks) { $0.stacksPerTree = 2 } == [.orientationDefault])
        #expect(try remarks(stacks) { $0.stacksPerTree = 1 }.contains(.frameLimit))
        #expect(try remarks(stacks) { $0.imagesPerTree = 2 } == [.orientationDefault])
        #expect(try remarks(stacks) { $0.imagesPerTree = 1 }.contains(.sizeLimit))
        let cut = nested.replacing("\"binaryName\":\"Shop\"", with: "\"exceededMaxDepth\":true")
        #expect(try remarks(cut) { _ in }.contains(.depthLimit))
    }

    @Test("apply to the upload, whose start is salvaged")
    func bytes() throws {
        var limits = PayloadLimits()
        let text = tree([frame(64, [frame(32)])])
        limits.bytes = text.utf8.count
        #expect(read(text, limits: limits).remarks.isEmpty)
        limits.bytes -= 1
        let cut = read(text, limits: limits)
        #expect(cut.remarks == [.sizeLimit])
        #expect(cut.diagnostics.map(\.frameCount) == [2])
    }
}
