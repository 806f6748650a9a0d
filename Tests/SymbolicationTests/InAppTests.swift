import CallStacks
import Symbolication
import Testing

@Suite("Which images are the app's")
struct InAppTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String?
        var load: UInt64?
        var hasSymbols = false
        var architecture: String?
        var hasIdentity = true
        var isInApp: Bool

        var testDescription: String {
            "\(name ?? "-") at \(load.map { String($0, radix: 16) } ?? "-")"
                + " \(architecture ?? "-")\(hasSymbols ? " with symbols" : "")"
        }
    }

    @Test(
        "by place, symbols and name",
        arguments: [
            Row(name: "Shop", isInApp: true),
            Row(name: "Shop.debug.dylib", load: 0x1_04a2_c000, isInApp: true),
            Row(name: "UIKitCore", isInApp: false),
            Row(name: "/usr/lib/system/libsystem_kernel.dylib", isInApp: false),
            Row(name: "libswiftCore.dylib", isInApp: false),
            Row(name: "libswift_Concurrency.so", isInApp: false),
            Row(name: "libc.so.6", isInApp: false),
            Row(name: "dyld", isInApp: false),
            // Somebody's own framework that is called like one of Apple's.
            Row(name: "Network", load: 0x1_05a2_c000, hasSymbols: true, isInApp: true),
            // The places tell, also of images that no table knows.
            Row(name: "Unheard", load: 0x1_a2b0_0000, isInApp: false),
            Row(name: "Unheard", load: 0x1_7fff_c000, isInApp: true),
            Row(name: "Unheard", load: 0x1_8000_0000, isInApp: false),
            Row(name: "Unheard", load: 0x3_0000_0000, isInApp: true),
            Row(name: "Unheard", load: 0x1_a2b0_0000, hasSymbols: true, isInApp: false),
            Row(name: "Unheard", load: 0x7ff8_1234_0000, architecture: "x86_64", isInApp: false),
            Row(name: "Unheard", load: 0x1_a2b0_0000, architecture: "x86_64", isInApp: true),
            Row(name: "Unheard", load: 0x7ff8_1234_0000, architecture: "x86-64", isInApp: true),
            Row(name: "Unheard", load: 0xffff_fe00_0700_4000, isInApp: false),
            // Nothing known at all, and an identity alone.
            Row(hasIdentity: false, isInApp: false),
            Row(isInApp: true),
        ])
    func rules(row: Row) {
        let answer = InAppRules().isInApp(
            image: row.hasIdentity ? .shop : nil, name: row.name,
            loadAddress: row.load.map { RuntimeAddress($0) }, hasSymbols: row.hasSymbols,
            architecture: row.architecture)
        #expect(answer == row.isInApp)
    }

    @Test(
        "a build id of an ELF file is never in Apple's address space")
    func buildID() throws {
        let image = try #require(ImageID(bytes: [UInt8](repeating: 7, count: 20)))
        #expect(
            InAppRules().isInApp(
                image: image, name: "shop", loadAddress: RuntimeAddress(0x7ff8_1234_0000),
                hasSymbols: false))
    }

    @Test(
        "configured names decide before everything else",
        arguments: [
            ("UIKitCore", true), ("Mine", true), ("MyKit", true), ("LibMine.dylib", false),
            ("Other", false), ("Analytics-iOS", false), ("Shop", true),
        ])
    func configured(name: String, isInApp: Bool) {
        let rules = InAppRules(
            app: ["UIKitCore", "My*", "Mine"], system: ["*.dylib", "Other", "*lyti*"])
        #expect(
            rules.isInApp(
                image: .shop, name: name, loadAddress: RuntimeAddress(0x1_04a2_c000),
                hasSymbols: true) == isInApp)
    }

    @Test("an image of a build is the app's, wherever it is loaded, but for configured names")
    func known() {
        let rules = InAppRules(system: ["Vendored"], images: [.shop])
        for (name, isInApp) in [("UIKitCore", true), ("Unheard", true), ("Vendored", false)] {
            #expect(
                rules.isInApp(
                    image: .shop, name: name, loadAddress: RuntimeAddress(0x1_a2b0_0000),
                    hasSymbols: false) == isInApp)
        }
        #expect(
            !rules.isInApp(image: nil, name: "UIKitCore", loadAddress: nil, hasSymbols: false))
    }
}
