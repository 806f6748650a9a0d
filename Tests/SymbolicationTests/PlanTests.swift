import CallStacks
@testable import Symbolication
import Testing

@Suite("Plan")
struct PlanTests {
    @Test("lists each image and each offset once, in ascending order")
    func once() {
        var caller = CallFrame.at(0x31)
        caller.site = .returnAddress(ImageOffset(0x31))
        let tree = CallStackTree.thread([
            .at(0x50), .at(0x20, of: .pay, "Pay"), .at(0x30), caller, .at(0x50), .at(0x10),
        ])
        let plan = SymbolicationPlan(for: Diagnostic(kind: .crash, tree: tree))
        #expect(plan.requests.map(\.image) == [.shop, .pay])
        #expect(plan.requests.map(\.name) == ["Shop", "Pay"])
        #expect(plan.requests.map(\.frameCount) == [5, 1])
        #expect(plan.requests.first?.offsets.map(\.rawValue) == [0x10, 0x30, 0x50])
        #expect(
            plan.targets == [
                .lookup(request: 0, offset: 2), .lookup(request: 1, offset: 0),
                .lookup(request: 0, offset: 1), .lookup(request: 0, offset: 1),
                .lookup(request: 0, offset: 2), .lookup(request: 0, offset: 0),
            ])
    }

    @Test("lists the known image of a report without a list of images")
    func noImageList() async throws {
        var diagnostic = Diagnostic(kind: .crash, tree: .thread([]), remarks: [.noImageList])
        diagnostic.images = [ListedImage(id: .shop, name: "Shop"), ListedImage(name: "Pay")]
        let result = await Symbolicator.symbolicated(diagnostic, with: [ImageID: SymbolSupply]())
        #expect(
            result.images == [
                ImageStatus(
                    image: .shop, name: "Shop", architecture: nil, status: .missing, frameCount: 0)
            ])
        #expect(result.imagesLackingSymbols.system.isEmpty)
        diagnostic.remarks = []
        #expect(SymbolicationPlan(for: diagnostic).requests.isEmpty)
    }

    @Test("an image without symbols has its own architecture, or else that of the process")
    func architectures() async throws {
        let frames = [CallFrame.at(0x10), .at(0x20, of: .pay, "Pay")]
        var diagnostic = Diagnostic(kind: .crash, tree: .thread(frames))
        diagnostic.details.architecture = "arm64"
        diagnostic.images = [
            ListedImage(id: .shop, name: "Shop"),
            ListedImage(id: .pay, name: "Pay", architecture: "arm64e"),
        ]
        let result = await Symbolicator.symbolicated(diagnostic, with: [ImageID: SymbolSupply]())
        #expect(result.images.map(\.architecture) == ["arm64", "arm64e"])
    }

    @Test("accepts symbols in any order")
    func anyOrder() async throws {
        let images = (1...9).map { ImageID.known(UInt8($0)) }
        let frames = images.map { CallFrame.at(4, of: $0, "Image\($0.bytes[0])") }
        let result = await Symbolicator(provider: SlowestFirst(images: images))
            .symbolicate(Diagnostic(kind: .crash, tree: .thread(frames)))
        #expect(result.frames.map(\.function) == images.map { "f\($0.bytes[0])" })
    }
}

/// A provider that takes longer for earlier requests.
private struct SlowestFirst: SymbolProvider {
    let images: [ImageID]

    func symbols(for image: ImageID) async -> SymbolSupply {
        for _ in 0..<(images.count - Int(image.bytes[0])) { await Task.yield() }
        let function = KnownSymbols.Function(range: 0..<8, frames: [.at("f\(image.bytes[0])")])
        return (try? KnownSymbols(functions: [function]).supply()) ?? .missing
    }
}
