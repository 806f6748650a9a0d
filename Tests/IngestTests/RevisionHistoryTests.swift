import CallStacks
import Symbolication
import Testing

@testable import Ingest

@Suite("The contents that entries sent")
struct RevisionHistoryTests {
    private func revision(_ number: Int) -> SentRevision {
        SentRevision(
            address: RecordAddress(entry: 1, position: 0), number: number,
            digest: RecordDigest(bytes: [UInt8](repeating: UInt8(number), count: 16)))
    }

    private func history(_ count: Int) -> RevisionHistory {
        var history = RevisionHistory()
        for number in 1...count {
            history.add(
                revision(number),
                SymbolView(found: UInt64(number), unreadable: 5 << 40, listed: .max),
                sentBy: Int64(number) << 40)
        }
        return history
    }

    @Test("a history is read as it was written")
    func bytes() {
        #expect(history(3).bytes.count == 3 * 52)
        #expect(RevisionHistory(bytes: history(3).bytes) == history(3))
        #expect(RevisionHistory(bytes: []) == RevisionHistory())
        #expect(RevisionHistory(bytes: history(3).bytes.dropLast()) == history(2))
    }

    @Test("the last content of an entry counts, and the oldest ones are forgotten")
    func entries() {
        var history = history(33)
        #expect(history.content(sentBy: 1 << 40) == nil)
        #expect(history.content(sentBy: 2 << 40)?.number == 2)
        #expect(history.content(sentBy: 2 << 40)?.view.found == 2)
        history.add(revision(40), SymbolView(), sentBy: 2 << 40)
        #expect(history.content(sentBy: 2 << 40)?.number == 40)
        let unknown = SentRevision(address: revision(1).address, number: 41, digest: nil)
        history.add(unknown, SymbolView(), sentBy: 7)
        #expect(history.content(sentBy: 7) == nil)
    }

    @Test("entries get the numbers of another journal")
    func renumbering() {
        let moved = history(3).renumbered { $0 == 2 << 40 ? nil : $0 >> 40 }
        #expect(moved.content(sentBy: 1)?.number == 1)
        #expect(moved.content(sentBy: 2) == nil)
        #expect(moved.content(sentBy: 3)?.digest == revision(3).digest)
    }

    @Test("an entry sends its content with its number, and any other with the last one or the next")
    func numbers() {
        let state = RevisionState(
            sent: revision(3), wasHeld: false, symbolicatedFrameCount: 0, history: history(3))
        #expect(state.number(for: revision(2).digest, sentBy: 2 << 40) == 2)
        #expect(state.number(for: revision(2).digest, sentBy: 1 << 40) == 4)
        #expect(state.number(for: revision(3).digest, sentBy: 1 << 40) == 3)
        #expect(state.number(for: revision(9).digest, sentBy: 9) == 4)
    }

    @Test("a view has the images with symbols, and those of builds")
    func view() {
        let images = (1...70).map { image($0) }
        var statuses = images.dropFirst().map { image in
            ImageStatus(
                image: image, name: nil, architecture: nil, status: .missing, frameCount: 1)
        }
        statuses[0].status = .found
        statuses[1].status = .noDebugInfo
        statuses[1].isInBuild = true
        statuses[2].status = .corrupt
        let diagnostic = SymbolicatedDiagnostic(
            kind: .crash, details: DiagnosticDetails(), status: .partial, culprit: nil,
            fingerprint: "", form: .threads, stacks: [], frames: [], images: statuses, remarks: [])
        let view = SymbolView(of: images, in: [diagnostic])
        #expect(view == SymbolView(found: 0b110, unreadable: 0b1000, listed: 0b100))
        let hidden = view.hidden(among: images)
        #expect(hidden.images == Set(images.prefix(64)).subtracting(images[1...2]))
        #expect(hidden.unreadable == [images[3]])
        #expect(hidden.appImages == Set(images.prefix(64)).subtracting([images[2]]))
    }

    @Test("images that lack the symbols of another view")
    func lacking() {
        let images = (1...3).map { image($0) }
        let view = SymbolView(found: 0b111)
        #expect(view.images(lackingIn: view, among: images).isEmpty)
        #expect(
            view.images(lackingIn: SymbolView(found: 0b10), among: images)
                == [images[0], images[2]])
    }

    private func image(_ number: Int) -> ImageID {
        ImageID(bytes: [UInt8](repeating: UInt8(number), count: 16))!
    }
}
