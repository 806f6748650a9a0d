import CallStacks
import Testing

@Suite("The result of looking up one offset")
struct OffsetLookupResultTests {
    private func distance(from start: UInt64, isInlined: Bool) -> UInt64? {
        let function = ResolvedFunction(
            status: .symbolOnly, name: nil, file: nil, line: 0, column: 0, isApproximate: false,
            isInlined: isInlined, isInSourceFile: true)
        let result = OffsetLookupResult(
            ImageID(bytes: [1])!, ImageOffset(20), .symbolOnly, functions: [function],
            functionStart: ImageOffset(start))
        return result.distance(in: function)
    }

    @Test("the distance starts at the function that owns the code")
    func distance() {
        #expect(distance(from: 4, isInlined: false) == 16)
        #expect(distance(from: 20, isInlined: false) == 0)
        #expect(distance(from: 4, isInlined: true) == nil)
    }

    @Test("a function that starts after the offset, in a damaged index, has no distance")
    func damaged() {
        #expect(distance(from: 21, isInlined: false) == nil)
        #expect(distance(from: .max, isInlined: false) == nil)
    }
}
