import TestSupport
import Testing

@testable import Demangling

/// Names of Swift 3, against `swift-demangle`, which is part of every toolchain.
@Suite("Names of Swift 3")
struct OldSwiftNameTests {
    static let names = [
        "_TFC3foo3bar3basfT3zimCS_3zim_T_", "_TToFC3foo3bar3basfT3zimCS_3zim_T_",
        "_TTOFSC3fooFTSdSd_Sd", "_TTDFC3foo3bar3basfT3zimCS_3zim_T_",
        "_TF3foooi1pFTCS_3barVS_3bas_OS_3zim", "_TFC3foo3barCfT_S0_", "_TFC3foo3barcfT_S0_",
        "_TFC3foo3barD", "_TFC3foo3bard", "_TTWC13call_protocol1CS_1PS_FS1_3foofT_Si",
        "_TFSCg5greenVSC5Color", "_TFSqcfT_GSqx_", "_TF3fooau3barSi", "_TF3foog3barSi",
        "_TF21class_bound_protocols32class_bound_protocol_compositionFT1xPS_10ClassBound"
            + "S_13NotClassBound__PS0_S1__",
        "_TFVCC6nested6AClass12AnotherClass7AStruct9aFunctionfT1aSi_S2_",
        "_TFCF5types1gFT1bSb_T_L0_10Collection3zimfT_T_", "_TFC12dynamic_self1X1ffT_DS0_",
        "_TTSg5Si___TFSqcfT_GSqx_", "_TTSr5Si___TF4test7genericurFxx",
        "_TTSg5SiSis3Foos_Sf___TFSqcfT_GSqx_", "_TF8manglingX22egbpdajGbuEbxfgehfvwxnFT_T_",
        "_TFE11ext_structAV11def_structA1A4testfT_T_",
        "_TF13devirt_accessP5_DISC15getPrivateClassFT_CS_P5_DISC12PrivateClass",
        "_TFCs13_NSSwiftArrayg17staticElementTypePMP_",
        "_TTSf1cl35_TFF7specgen6callerFSiT_U_FTSiSi_T_Si___TF7specgen12take_closureFFTSiSi_T_T_",
        "_TTSf2i___TTSf2s_d___TFVs17_LegacyStringCoreCfVs13_StringBufferS_",
        "_TZFC4main4Cart4loadfzT1xSi_GSaSS_", "_TFV4main4List6appendurfT4itemx_T_",
        "_TF4main3mapu0_rFTGSax_1fFxq__GSaq__", "_TFC4main4Cartg9subscriptFSiSS",
        "_TFC4main4CartcfT4nameSS5countSi_S0_",
        "_TFC4main4Cart4loadfT3urlV10Foundation3URL10completionFGSqPs5Error__T__T_",
        "_TPA__TFFC4main4Cart4loadFT_T_U_FT_T_", "_TTSf4g_n___TFC4main4Cart3addfSiT_",
        "_TFC4main4Cart3sumfTSi_Si", "_TF4main1fFtSi_T_", "_TFC4main4Cart3setfRSiT_",
        "_TF4main1gFTSi1yFT_T__T_", "_TF4main1hFbT_T_T_", "_TFO4main4SideCfT8rawValueSi_GSqS0__",
        "_TF4main1bFtSi1cSS_T_", "_TF4main1bFTSiSS1cSi_T_", "_TF4main1bFt1cSi_T_",
    ]

    @Test("have the texts that swift-demangle prints", arguments: ["-simplified", nil])
    func peer(option: String?) throws {
        let run = try FinishedProgram(
            "swift-demangle", ["-compact"] + [option].compactMap(\.self) + Self.names)
        let texts = run.output.split(separator: "\n")
        try #require(texts.count == Self.names.count)
        let demangler = Demangler(style: option == nil ? .full : .simplified)
        for (name, text) in zip(Self.names, texts) {
            if option == nil, Self.differsInRuntime(name, text) { continue }
            #expect(demangler.demangle(name).text == text, "\(name)")
        }
    }

    /// Whether the runtime's demangler, which has no options, spells a full name differently: it
    /// omits properties of arguments that the optimiser knew, and spells out arrays and optionals.
    private static func differsInRuntime(_ name: String, _ text: Substring) -> Bool {
        name.hasPrefix("_TTS")
            || ["[", "?"].contains { text.contains($0) }
    }

    @Test("are read without a trap, wherever they end and whichever byte is wrong")
    func damaged() {
        var numbers = SplitMix64(seed: 3)
        let letters = Array("_TFSCVOPGtqxw0123456789aAsioczRMXuLE".utf8)
        for name in Self.names {
            for end in name.indices { _ = OldSwiftReader.modernName(of: name[..<end]) }
            for _ in 0..<40 {
                var bytes = Array(name.utf8)
                bytes[Int.random(in: 2..<bytes.count, using: &numbers)] =
                    letters[Int.random(in: 0..<letters.count, using: &numbers)]
                _ = OldSwiftReader.modernName(of: String(decoding: bytes, as: UTF8.self)[...])
            }
        }
    }

    @Test("nest up to a limit, and have parts of limited length")
    func limits() {
        func array(_ depth: Int) -> Substring {
            let types = String(repeating: "GSa", count: depth) + "Si"
            return "_TF1a1bF\(types)\(String(repeating: "_", count: depth))T_"[...]
        }
        // The function, its parameter and each type count.
        #expect(OldSwiftReader.modernName(of: array(20)) != nil)
        #expect(OldSwiftReader.modernName(of: array(OldSwiftReader.depthLimit)) == nil)
        let long = String(repeating: "a", count: OldSwiftReader.textLimit)
        #expect(OldSwiftReader.modernName(of: "_TF1a\(long.count)\(long)FT_T_") == nil)
    }
}
