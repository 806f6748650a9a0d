import CallStacks
import Problems
import Testing

@testable import SymbolicatorAPI

@Suite("Address lists in Symbolicator's form")
struct StackTraceQueryTests {
    private func query(_ text: String) throws -> StackTraceQuery {
        try StackTraceQuery(Array(text.utf8))
    }

    private func query(
        frames: String, signal: String = "null", registers: String = "{}"
    ) throws -> StackTraceQuery {
        try query(
            """
            {"signal": \(signal), "modules": [
                {"type": "macho", "code_file": "/a/Shop", "image_addr": "0x1000", "image_size": 256},
                {"type": "elf", "image_addr": 8192}],
             "stacktraces": [{"registers": \(registers), "frames": [\(frames)]}]}
            """)
    }

    private func sites(_ query: StackTraceQuery) -> [CallSite?] {
        query.diagnostic().tree.frames.map(\.site)
    }

    @Test("addresses are strings or numbers, of the process or of a module")
    func addresses() throws {
        let query = try query(
            frames: """
                {"instruction_addr": "0x1010", "adjust_instruction_addr": false},
                {"instruction_addr": "4112", "adjust_instruction_addr": false},
                {"instruction_addr": 8208, "adjust_instruction_addr": false},
                {"instruction_addr": 32, "addr_mode": "rel:1", "adjust_instruction_addr": true},
                {"instruction_addr": "0x1100", "addr_mode": "abs"}
                """)
        #expect(
            sites(query) == [
                .programCounter(ImageOffset(16)), .programCounter(ImageOffset(16)),
                .programCounter(ImageOffset(16)), .returnAddress(ImageOffset(32)), nil,
            ])
        #expect(query.diagnostic().tree.frames.first?.imageName == "Shop")
    }

    @Test("bit 0 of an address is a Thumb bit if the image's symbols are for 32-bit ARM")
    func thumb() throws {
        let id = try #require(ImageID("11111111222233334444555555555555"))
        var query = try query(
            frames: """
                {"instruction_addr": "0x1011", "adjust_instruction_addr": false},
                {"instruction_addr": 33, "addr_mode": "rel:0"}
                """)
        query.modules[0].image = id
        for (architecture, bit) in [(Architecture.armv7, UInt64(0)), (.arm64, 1)] {
            let diagnostic = query.diagnostic { $0 == id ? architecture : nil }
            #expect(
                diagnostic.tree.frames.map(\.site) == [
                    .programCounter(ImageOffset(16 + bit)), .returnAddress(ImageOffset(32 + bit)),
                ])
        }
    }

    @Test("a frame of a module that is not listed has no image, and the others keep theirs")
    func unlistedModule() throws {
        let query = try query(
            frames: """
                {"instruction_addr": 16, "addr_mode": "rel:7"},
                {"instruction_addr": 16, "addr_mode": "rel:0", "adjust_instruction_addr": false}
                """)
        #expect(query.diagnostic().tree.frames.map(\.imageName) == [nil, "Shop"])
        #expect(sites(query) == [nil, .programCounter(ImageOffset(16))])
    }

    @Test("frames without a kind of address use that of their thread, or their position")
    func returnAddresses() throws {
        func isReturn(
            _ frames: [Bool?], signal: String = "null", registers: String = "{}"
        ) throws -> [Bool] {
            let texts = frames.map { isReturn in
                let flag = isReturn.map { #", "adjust_instruction_addr": \#($0)"# } ?? ""
                return #"{"instruction_addr": "0x1010"\#(flag)}"#
            }
            let query = try query(
                frames: texts.joined(separator: ","), signal: signal, registers: registers)
            return sites(query).map { $0 == .returnAddress(ImageOffset(16)) }
        }
        #expect(try isReturn([nil, nil]) == [false, true])
        #expect(try isReturn([nil, false, nil]) == [true, false, true])
        #expect(try isReturn([true]) == [true])
        let same = #"{"pc": "0x1010"}"#
        let other = #"{"rip": "0x1020"}"#
        #expect(try isReturn([nil], signal: "11", registers: same) == [false])
        #expect(try isReturn([nil], signal: "11", registers: other) == [true])
        #expect(try isReturn([nil], signal: "6", registers: other) == [false])
    }

    @Test("the crash address of frames sent outermost first is the last one")
    func callerFirst() throws {
        let query = try query(
            """
            {"options": {"frame_order": "caller_first"},
             "modules": [{"type": "macho", "image_addr": 4096, "image_size": 256}],
             "stacktraces": [{"frames": [{"instruction_addr": 4128}, {"instruction_addr": 4112}]}]}
            """)
        #expect(
            sites(query) == [.programCounter(ImageOffset(16)), .returnAddress(ImageOffset(32))])
    }

    @Test("a thread with as many frames as a request may have is read in linear time")
    func deepThread() throws {
        let frame = #"{"instruction_addr":1}"#
        let frames = Array(repeating: frame, count: StackTraceQuery.frameLimit)
        let query = try query(frames: frames.joined(separator: ","))
        #expect(query.diagnostic().tree.frames.count == StackTraceQuery.frameLimit)
    }

    @Test(
        "a body of another form is refused",
        arguments: [
            "", "[]", "{}", #"{"stacktraces": {}}"#, #"{"stacktraces": [{}]}"#,
            #"{"stacktraces": [{"frames": [{}]}]}"#,
            #"{"stacktraces": [{"frames": [{"instruction_addr": "x"}]}]}"#,
            #"{"stacktraces": [{"frames": [{"instruction_addr": 1, "addr_mode": "rel:-1"}]}]}"#,
            #"{"stacktraces": [{"frames": [{"instruction_addr": 1, "addr_mode": "to"}]}]}"#,
            #"{"modules": {}, "stacktraces": []}"#, #"{"modules": [1], "stacktraces": []}"#,
            #"{"modules": [{"image_addr": "-1"}], "stacktraces": []}"#,
        ])
    func refused(text: String) throws {
        #expect { try query(text) } throws: { error in
            (error as? QueryError)?.reason == .unprocessable
        }
    }

    @Test("modules, threads and frames past the limits are refused")
    func limits() throws {
        func list(_ element: String, _ count: Int) -> String {
            "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
        }
        let frame = #"{"instruction_addr":1}"#
        for (modules, threads, frames) in [
            (StackTraceQuery.moduleLimit + 1, 1, 1), (1, StackTraceQuery.threadLimit + 1, 0),
            (1, 1, StackTraceQuery.frameLimit + 1),
        ] {
            let thread = #"{"frames":\#(list(frame, frames))}"#
            let text =
                #"{"modules":\#(list("{}", modules)),"stacktraces":\#(list(thread, threads))}"#
            #expect { try query(text) } throws: { error in
                (error as? QueryError)?.reason == .tooLarge
            }
        }
    }
}
