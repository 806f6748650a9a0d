import CallStacks
import Testing

@testable import Pages

@Suite("Folding the frames of a thread")
struct FoldedStackTests {
    private func items(_ pattern: String, folds: Bool = true) -> [FoldedStack.Item] {
        var diagnostic = Example.crash
        let (app, system) = (diagnostic.frames[1], diagnostic.frames[3])
        diagnostic.frames = pattern.enumerated().map { row, letter in
            var frame = letter == "a" ? app : system
            frame.parent = row == 0 ? nil : row - 1
            frame.offset = ImageOffset(UInt64(row))
            return frame
        }
        return FoldedStack(0..<pattern.count, of: diagnostic, foldsSystemFrames: folds).items
    }

    @Test("three system frames in a row fold, two do not")
    func runs() {
        #expect(
            items("asssassa") == [
                .frame(row: 0, number: 0), .systemFrames(rows: [1, 2, 3], firstNumber: 1),
                .frame(row: 4, number: 4), .frame(row: 5, number: 5), .frame(row: 6, number: 6),
                .frame(row: 7, number: 7),
            ])
    }

    @Test("unfolded, every frame is an item")
    func all() {
        #expect(items("asssa", folds: false).count == 5)
    }

    @Test("a thread without app frames shows its first five")
    func noAppFrames() {
        #expect(
            items("ssssssss") == (0..<5).map { .frame(row: $0, number: $0) } + [
                .systemFrames(rows: [5, 6, 7], firstNumber: 5)
            ])
    }
}
