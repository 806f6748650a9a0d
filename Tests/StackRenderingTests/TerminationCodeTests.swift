import CallStacks
import StackRendering
import Testing

@Suite("Termination reasons")
struct TerminationCodeTests {
    @Test(
        "a code that Apple documents has an explanation",
        arguments: [
            ("Namespace SPRINGBOARD, Code 0x8badf00d", "watchdog"),
            ("FRONTBOARD 2343432205 <RBSTerminateContext| domain:10>", "watchdog"),
            ("<RBSTerminateContext| domain:10\n code:0xDEAD10CC explanation:…>", "lock"),
            ("Namespace SIGNAL, Code 0xb", nil), ("Namespace SIGNAL, Code 11 Segmentation", nil),
            ("0x", nil), ("", nil),
        ] as [(String, String?)])
    func words(reason: String, word: String?) {
        var crash = Example.crash
        crash.details.terminationReason = reason
        let lines = StackText().report(of: crash).split(separator: "\n")
        let start = lines.firstIndex { $0.hasPrefix("Termination:") }
        let line = start.flatMap { lines.dropFirst($0 + 1).first }
        #expect(line?.hasPrefix("              ") == (word != nil))
        if let word { #expect(line?.contains(word) == true) }
    }
}
