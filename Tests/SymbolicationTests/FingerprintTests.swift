import CallStacks
@testable import Symbolication
import Testing

@Suite("Fingerprint")
struct FingerprintTests {
    @Test(
        "hashes as in RFC 9923",
        arguments: [
            ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"),
            ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
        ])
    func hash(text: String, digits: String) {
        var hash = FNV1a128()
        for byte in text.utf8 { hash.combine(byte) }
        #expect(String(hash.value, radix: 16) == digits)
    }

    @Test("keeps its value, because keys are stored")
    func pinned() {
        #expect(print(["total", "checkout"]) == "1:4da0ea2e6962ae1ee6241477428979d6")
        #expect(print([nil]) == "1:936b2dcaae0ddb44d27416e5636cec4d")
    }

    @Test("is equal if the fault is the same")
    func same() {
        let base = print(["total", "checkout"])
        #expect(base == print(["total", "checkout"]) { $0.frames[0].line = 99 })
        #expect(base == print(["total", "checkout"]) { $0.frames[0].column = 4 })
        #expect(base == print(["total", "checkout"]) { $0.frames[1].offset = ImageOffset(7) })
        #expect(base == print(["total", "checkout"]) { $0.frames[1].address = RuntimeAddress(7) })
        #expect(base == print(["total", "checkout"]) { $0.frames[1].functionDistance = 7 })
        #expect(base == print(["total", "checkout"]) { $0.frames[1].image = .pay })
        #expect(base == print(["total", "checkout"]) { $0.details.osVersion = "iPhone OS 18.5" })
        #expect(base == print(["total", "checkout"]) { $0.details.deviceType = "iPhone15,2" })
        #expect(base == print(["total", "checkout"]) { $0.frames[0].isInlined = true })
        #expect(base == print(["total", "total", "checkout"]), "recursion of any depth")
        #expect(base == print(["total", "checkout", "total", "checkout"]), "mutual recursion")
        #expect(
            base
                == print(["thunk", "total", "checkout"]) { $0.frames[0].isCompilerGenerated = true }
        )
        #expect(base == print(["raise", "total", "checkout"]) { $0.frames[0].isInApp = false })
        #expect(
            base
                == print(["raise", "total", "checkout"]) {
                    $0.frames[0].remarks = [.duplicateInnermost]
                })
    }

    @Test("differs if the fault differs")
    func different() {
        let prints = [
            print(["total", "checkout"]), print(["checkout", "total"]), print(["total"]),
            print(["total", nil]), print([nil]), print([]),
            print(["total", "checkout"]) { $0.kind = .hang },
            print(["total", "checkout"]) { $0.exceptionName = "EXC_BAD_ACCESS" },
            print(["totalcheckout"]),
            print([nil]) { $0.frames[0].isInApp = false },
            print([nil]) { $0.frames[0].imageName = "Pay" },
            print(["trap", "total", "checkout"]) {
                $0.frames[0].mangled = "Swift runtime failure: Index out of range"
                $0.frames[0].isCompilerGenerated = true
            },
        ]
        #expect(Set(prints).count == prints.count)
    }

    /// Returns the fingerprint of a crash with these functions of the app, innermost first.
    private func print(
        _ functions: [String?], _ change: (inout SymbolicatedDiagnostic) -> Void = { _ in }
    ) -> String {
        let frames = functions.enumerated().map { index, function in
            var row = SymbolicatedFrame(
                physical: index, frame: .at(UInt64(index) * 16),
                status: function == nil ? .missingImage : .symbolicated)
            row.parent = index == 0 ? nil : index - 1
            row.function = function
            row.mangled = function
            row.isInApp = true
            return row
        }
        var diagnostic = SymbolicatedDiagnostic(
            kind: .crash, details: DiagnosticDetails(), status: .partial, culprit: nil,
            fingerprint: "", form: .threads,
            stacks: [
                CallStack(
                    index: 0, name: nil, isAttributed: true, frames: 0..<frames.count)
            ],
            frames: frames, images: [], remarks: [])
        change(&diagnostic)
        return Fingerprint(
            of: diagnostic, representative: diagnostic.representativeFrames
        ).description
    }
}
