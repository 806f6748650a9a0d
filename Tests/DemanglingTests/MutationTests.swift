import Demangling
import Testing

@Suite("damaged names")
struct MutationTests {
    static let names = [
        "$s4main1SVAA1PA2aDP3fooyyFTW", "$sSSIeghg_BASSIeghHgILg_TR", "$s4main1fyyxRvzlF",
        "$sSTsE6sorted2bySay7ElementQzGSbAD_ADtKXE_tKFSay6XCTest0D11ExpectationCG_Tg5",
        "$s10Foundation10SocketPortC9SignatureVSgWOe", "$s4main3fooyyYaFTY0_.resume.0",
        "_ZNSt6vectorIiSaIiEE9push_backERKi", "_ZThn16_N1A1fEv", "___Z3foov_block_invoke_2",
        "_ZZNK3$_0clEvENKUlT_E_clIiEEDaS0_", "_ZN1AIXsr1BIT_EE5valueEEC2IJiDpT0_EEEDpOT_",
        "_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate",
        "_RIC1aFG_RL0_hEuE", "_RIC1aDNtC1b1tp1xuEL_E", "_RIC1aKRe616263_E",
        "_ZN71_$LT$Test$u20$$u2b$$GT$3bar17h930b740aa94f1d3aE", "-[Cart add:].cold.1",
        "_TtCC4main5Outer5Inner", "__hidden#123_", "__31-[Cart add:]_block_invoke_2",
    ]

    /// The text is bounded, and the process survives.
    @Test("any damage leaves a bounded text", arguments: UInt64(0)..<40)
    func mutations(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let all = Self.names.map { Array($0.utf8) }
        for _ in 0..<500 {
            var name = all.randomElement(using: &numbers) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                Self.mutate(&name, others: all, using: &numbers)
            }
            let text = Demangler().demangle(String(decoding: name, as: UTF8.self)).text
            #expect(text.utf8.count <= Demangler.textBytesLimit + 3)
        }
    }

    static func mutate(
        _ name: inout [UInt8], others: [[UInt8]], using numbers: inout SplitMix64
    ) {
        let place = Int.random(in: 0...name.count, using: &numbers)
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: name.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
        case 1: name.removeSubrange(place..<min(place + 1, name.count))
        case 2:
            let other = others.randomElement(using: &numbers) ?? []
            name.replaceSubrange(place..., with: other.dropFirst(min(place, other.count)))
        case 3:
            let end = Int.random(in: place...name.count, using: &numbers)
            name.insert(contentsOf: name[place..<end], at: place)
        default:
            if place < name.count, let byte = name.randomElement(using: &numbers) {
                name[place] = byte
            }
        }
    }
}
