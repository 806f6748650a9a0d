import CallStacks
import IndexSupport
import Symbolication
import Testing

@Suite("Frames without a line of their own")
struct NearestLineTests {
    private let near = SourceFrame.at(nil, line: 18, column: 24)

    @Test(
        "get the nearest line of the same function and are marked approximate",
        arguments: [
            SourceFrame.at("f", line: 0), .at("f", line: 0, file: nil),
            .at("f", line: 0, file: "<compiler-generated>"),
            .at("f", line: 5, file: "<compiler-generated>"),
        ])
    func nearest(frame: SourceFrame) async throws {
        let row = try await row(for: frame, nearest: near)
        #expect(row?.status == .symbolicated)
        #expect(row?.file?.name == "File.swift")
        #expect(row?.line == 18)
        #expect(row?.column == 24)
        #expect(row?.isApproximate == true)
        #expect(row?.isCompilerGenerated == false)
    }

    @Test("keep their own line")
    func own() async throws {
        let row = try await row(for: .at("f", line: 4), nearest: near)
        #expect(row?.line == 4)
        #expect(row?.isApproximate == false)
    }

    @Test("stay without a line if the function has none")
    func none() async throws {
        let row = try await row(for: .at("f", line: 0), nearest: nil)
        #expect(row?.status == .symbolOnly)
        #expect(row?.file?.name == "File.swift")
        #expect(row?.isApproximate == false)
    }

    @Test("have no file and are marked if they are compiler-generated")
    func compilerGenerated() async throws {
        let row = try await row(for: .at("f", line: 5, file: "<compiler-generated>"), nearest: nil)
        #expect(row?.status == .symbolOnly)
        #expect(row?.file == nil)
        #expect(row?.line == 0)
        #expect(row?.isCompilerGenerated == true)
    }

    @Test("get the nearest line of each inlined call at its own depth")
    func depth() async throws {
        let symbols = KnownSymbols(functions: [
            .init(
                range: 0..<16, frames: [.at("i", line: 3), .at("f", line: 0)],
                lastLine: .at(nil, line: 91))
        ])
        let result = try await Symbolicator.symbolicated(
            Diagnostic(kind: .crash, tree: .thread([.at(1)])), with: [.shop: symbols])
        #expect(result.frames.map(\.line) == [3, 91])
    }

    private func row(
        for frame: SourceFrame, nearest: SourceFrame?
    ) async throws -> SymbolicatedFrame? {
        let symbols = KnownSymbols(functions: [
            .init(range: 0..<16, frames: [frame], lastLine: nearest)
        ])
        let result = try await Symbolicator.symbolicated(
            Diagnostic(kind: .crash, tree: .thread([.at(1)])), with: [.shop: symbols])
        return result.frames.first
    }
}
