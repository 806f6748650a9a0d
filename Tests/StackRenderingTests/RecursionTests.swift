import CallStacks
import Testing

@testable import StackRendering

@Suite("Recursion in text")
struct RecursionTests {
    /// A stack of rows of the image Shop, by their functions, innermost first.
    private func diagnostic(_ functions: [String]) -> SymbolicatedDiagnostic {
        var rows: [SymbolicatedFrame] = []
        for (number, function) in functions.enumerated() {
            let offset = ImageOffset(UInt64(function.utf8.first ?? 0) * 16)
            var row = SymbolicatedFrame(
                physical: number,
                frame: CallFrame(image: nil, imageName: "Shop", site: .programCounter(offset)),
                status: .symbolicated)
            row.function = function
            row.parent = number == 0 ? nil : number - 1
            rows.append(row)
        }
        let stack = CallStack(
            index: 0, name: nil, isAttributed: true, frames: rows.indices)
        return SymbolicatedDiagnostic(
            kind: .crash, details: DiagnosticDetails(), status: .symbolicated, culprit: nil,
            fingerprint: "", form: .threads, stacks: [stack], frames: rows, images: [], remarks: [])
    }

    private func lines(_ functions: [String]) -> [String] {
        let text = StackText().report(of: diagnostic(functions))
        return text.split(separator: "\n").filter { $0.contains("Shop") || $0.contains("×") }
            .map {
                $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
            }
    }

    @Test("a function that calls itself is written once, with its number of calls")
    func one() {
        let walk = Array(repeating: "walk", count: 9_980)
        #expect(
            lines(["abort"] + walk + ["main"]) == [
                "0 Shop +0x610 abort", "1 Shop +0x770 walk",
                "× 9,980 frame 1 repeats as far as frame 9980", "9981 Shop +0x6d0 main",
            ])
    }

    @Test("functions that call each other are one cycle, and its remainder follows")
    func several() {
        let cycle = (0..<50).flatMap { _ in ["walk", "visit", "next"] }
        let found = lines(cycle + ["walk", "main"])
        #expect(found.prefix(3).map { $0.split(separator: " ").last } == ["walk", "visit", "next"])
        #expect(found.dropFirst(3).first == "× 50 frames 0 to 2 repeat as far as frame 149")
        #expect(found.suffix(2) == ["150 Shop +0x770 walk", "151 Shop +0x6d0 main"])
    }

    @Test("two recursions in one stack are both folded")
    func two() {
        let found = lines(
            Array(repeating: "a", count: 20) + ["m"] + Array(repeating: "b", count: 30))
        #expect(found.filter { $0.hasPrefix("×") }.count == 2)
        #expect(found.last == "× 30 frame 21 repeats as far as frame 50")
    }

    @Test("few repetitions, other lines and exported stacks are not folded")
    func unfolded() {
        #expect(lines(Array(repeating: "walk", count: Recursion.fewestRows)).count == 12)
        #expect(lines(Array(repeating: "walk", count: Recursion.fewestRows + 1)).count == 2)
        var other = diagnostic(Array(repeating: "walk", count: 40))
        for row in other.frames.indices { other.frames[row].line = UInt32(row) }
        #expect(!StackText().report(of: other).contains("×"))
        let exported = StackText().stacks(of: diagnostic(Array(repeating: "walk", count: 40)))
        #expect(exported.split(separator: "\n").count == 41)
    }

    @Test("a cycle beyond the limit is written in full")
    func longCycle() {
        let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)
        func cycle(_ length: Int) -> [String] {
            (0..<40).flatMap { _ in letters.prefix(length) }
        }
        #expect(lines(cycle(Recursion.lengthLimit)).count == Recursion.lengthLimit + 1)
        #expect(lines(cycle(Recursion.lengthLimit + 1)).count == 40 * (Recursion.lengthLimit + 1))
    }

    @Test("a node in no image has its address in a tree too")
    func treeAddress() {
        var row = SymbolicatedFrame(
            physical: 0,
            frame: CallFrame(
                image: nil, imageName: nil, site: nil, address: RuntimeAddress(0x1_04a2_fb40),
                samples: 3), status: .unknownImage)
        row.parent = nil
        var tree = diagnostic([])
        tree.form = .sampled
        tree.frames = [row]
        tree.stacks = [CallStack(index: 0, name: nil, isAttributed: true, frames: 0..<1)]
        #expect(StackText().stacks(of: tree).contains("3  0x104a2fb40  "))
    }
}
