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
        "_TIFC4main3Foo3barFT1xSi_T_A_", "_TIF4main3fooFT1xSi_T_A0_", "_TIvC4main3Foo1xSii",
        "_TIZvC4main3Foo1xSii", "_Tv4main1xSi", "_TMC4main3Foo", "_TMaC4main3Foo",
        "_TMmC4main3Foo", "_TMnC4main3Foo", "_TMLC4main3Foo", "_TMfC4main3Foo", "_TMPC4main3Foo",
        "_TwcpV4main1S", "_TwxxV4main1S", "_TwprV4main1S", "_TtGC4main3BoxSi_",
        "_TTRXFo_iSi_dT__XFo_dSi_dT__", "_TPA__TTRXFo_dSi_dT__XFo_iSi_iT__",
        "_TPAo__TTRGrXFo_iSi_dT__XFo_dSi_dT__", "_TTRXFdCb__dT__XFo__dT__",
        "_TTRXFo_oSS_dT__XFdCb_dCSo8NSString_dT__", "_TTRXFo_iSi_dT_zoPs5Error__XFo_dSi_dT_zoPS___",
        "_TTRXFo_oGSaSi__dT__XFo_iGSaSi__dT__", "_TTRXFo_oGSqSS__dT__XFo_iGSqSS__dT__",
        "_TTRXFo_iT__iT__XFo__dT__", "_TTRXFo__dT__XFo_iT__iT__",
        "_TTRXFo_dSb_dT__XFdCb_dV10ObjectiveC8ObjCBool_dT__",
        "_TTRXFdCb_dGSqCSo8NSString__dT__XFo_oGSqSS__dT__", "_TTRGrXFo_iSq_dT__XFo_dSi_dT__",
        "_TTRGRxs8HashablerXFo_ix_dSb_XFo_ix_iSb_", "_TTRGrXFo_ix_dSb_XFo_ix_iSb_",
        "_TTRXFo_iSi_oSS_XFo_dSi_oSS_", "_TTRXFo_iSi_oSSzoPs5Error__XFo_iSi_iSSzoPS___",
        "_TTrXFo_iSi_oSS_XFo_dSi_oSS_", "_TPA__TFFC4main3Foo3barFT_T_U_FT_T_",
        "_TPAo__TTRXFo_dSb_dT__XFdCb_dV10ObjectiveC8ObjCBool_dT__",
        "_TPA__TTRXFo_dSb_dT__XFdCb_dV10ObjectiveC8ObjCBool_dT__", "_TMaV4main1S", "_TMaO4main1E",
        "_TMaGSaSi_", "_TMaGSqSi_", "_TMaP4main1P_", "_TMaT_", "_TMaFT_T_", "_TMLGSqSS_",
        "_TMV4main1S", "_TMSi", "_TMnO4main1E", "_TMPV4main3Box", "_TMp4main1P", "_TMps9Equatable",
        "_TMRC4main3Foo", "_TIFFC4main3Foo3barFT_T_L_3bazFT1ySi_T_A_",
        "_TIFC4main3FoocFT1xSi_S0_A_", "_TIFV4main1ScFT1xSi_S0_A0_", "_TIFC4main3FooCFT1xSi_S0_A_",
        "_TIvV4main1S5otherGSqSi_i", "_TIvO4main1EP33_0123456789ABCDEF0123456789ABCDEF1xSii",
        "_TIv4main1xSii", "_TZvV4main1S6sharedS0_", "_Tv4main1xGSaSi_", "_TvV4main1S1xSi",
        "_TvC4main3FooP33_0123456789ABCDEF0123456789ABCDEF1xSi", "_TWvdvV4main1S1xSi",
        "_TwalV4main1S", "_TwcaV4main1S", "_TwtaV4main1S", "_TwdeV4main1S", "_TwXXV4main1S",
        "_TwXxV4main1S", "_TwCPV4main1S", "_TwCpV4main1S", "_TwTKV4main1S", "_TwTkV4main1S",
        "_TwtkV4main1S", "_TwxsV4main1S", "_TwxgV4main1S", "_TwugO4main1E", "_TwupO4main1E",
        "_TwuiO4main1E", "_TwetV4main1S", "_TwstV4main1S", "_TwcpGV4main3BoxSi_", "_TwcpT_",
        "_TtGC4main3BoxGSaSi__", "_TtGC4main3BoxGSqSi__", "_TtGC4main3BoxCS_3Foo_",
        "_TtGV4main3BoxSS_", "_TtGSaSi_", "_TTRXFt_iSi_dT__XFo_dSi_dT__",
        "_TTRXFo_iSi_dT__XFtCc_dSi_dT__", "_TTRXFdCm_dSi_dT__XFo_dSi_dT__",
        "_TTRXFg_gC4main3Foo_dT__XFo_oC4main3Foo_dT__", "_TTRXFo_lSi_dT__XFo_eSi_dT__",
        "_TTRXFo_dSi_DSi_XFo_dSi_aSi_", "_TTRXFoCO_dSi_dSi_XFoCw_dSi_dSi_",
        "_TTRXFo_oXoC4main3Foo_dT__XFo_iXwGSqC4main3Foo__dT__",
    ]

    /// Names that look alike, and that `swift-demangle` does not demangle either.
    static let otherNames = [
        "_TMain", "_TIme", "_Tvalue", "_Twice", "_TM", "_TMdC4main3Foo", "_TwzzV4main1S",
        "_TTRXFo_oPs5Error__XFo_iPs5Error__", "_TTRXFo_qSi_dT__XFo_dSi_dT__",
        "_TWlaV4main1SS_1P", "_TMpP4main1P_", "_TIvC4main3Foo1xSi", "_TtGCC4main3Box5InnerSi_",
    ]

    @Test("names that only look like them are unchanged")
    func others() throws {
        let run = try FinishedProgram(
            "swift-demangle", ["-compact", "-simplified"] + Self.otherNames)
        #expect(run.output.split(separator: "\n").map(String.init) == Self.otherNames)
        for name in Self.otherNames {
            #expect(Demangler().demangle(name).text == name)
        }
    }

    @Test("have the texts that swift-demangle prints")
    func peer() throws {
        let run = try FinishedProgram("swift-demangle", ["-compact", "-simplified"] + Self.names)
        let texts = run.output.split(separator: "\n")
        try #require(texts.count == Self.names.count)
        let demangler = Demangler()
        for (name, text) in zip(Self.names, texts) {
            #expect(demangler.demangle(name).text == text, "\(name)")
        }
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

    @Test("stay if they refer to an entry beyond all numbers")
    func largestIndex() {
        for name in ["_TFS\(Int.max)_3fooFT_T_", "_TtGS\(Int.max)_3foo_", "_TFS0_3fooFT_T_"] {
            #expect(OldSwiftReader.modernName(of: name[...]) == nil)
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
