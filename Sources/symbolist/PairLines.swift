import CallStacks
import Foundation
import StackRendering
import Symbolication

/// `UUID OFFSET` lines from standard input, each answered by a line of JSON before the next is read,
/// so that a script can keep the process and talk to it.
struct PairLines {
    private var lookup: ExactLookup

    init(lookup: ExactLookup) { self.lookup = lookup }

    /// - Returns: Whether every line could be read.
    mutating func answerAll() async -> Bool {
        var isComplete = true
        var number = 0
        while let line = readLine() {
            number += 1
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.isEmpty { continue }
            guard words.count == 2, let image = ImageID(words[0]),
                let offset = ImageOffset(text: words[1])
            else {
                Console.problem("line \(number): is not 'UUID OFFSET': skipped")
                isComplete = false
                continue
            }
            let (status, frames) = await lookup.answer(image, at: offset)
            let answer = LookupJSON(image, offset).text(frames: frames, status: status)
            Console.result(answer + "\n")
        }
        return isComplete
    }
}
