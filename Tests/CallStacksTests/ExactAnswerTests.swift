import CallStacks
import Testing

@Suite("An answer to one offset")
struct ExactAnswerTests {
    private func distance(from start: UInt64, isInlined: Bool) -> UInt64? {
        let function = AnsweredFunction(
            status: .symbolOnly, name: nil, file: nil, line: 0, column: 0, isApproximate: false,
            isInlined: isInlined, isWritten: true)
        let answer = ExactAnswer(
            ImageID(bytes: [1])!, ImageOffset(20), .symbolOnly, functions: [function],
            functionStart: ImageOffset(start))
        return answer.distance(in: function)
    }

    @Test("the distance counts from the start of the function that owns the code")
    func distance() {
        #expect(distance(from: 4, isInlined: false) == 16)
        #expect(distance(from: 20, isInlined: false) == 0)
        #expect(distance(from: 4, isInlined: true) == nil)
    }

    @Test("a function that starts behind its code, in a damaged index, has no distance")
    func damaged() {
        #expect(distance(from: 21, isInlined: false) == nil)
        #expect(distance(from: .max, isInlined: false) == nil)
    }
}
