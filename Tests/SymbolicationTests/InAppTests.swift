import CallStacks
import Symbolication
import Testing

@Suite("Which images are the app's")
struct InAppTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String?
        var load: UInt64?
        var architecture: String?
        var hasIdentity = true
        var isInApp: Bool

        var testDescription: String {
            "\(name ?? "-") at \(load.map { String($0, radix: 16) } ?? "-") \(architecture ?? "-")"
        }
    }

    @Test(
        "by address and name",
        arguments: [
            Row(name: "Shop", isInApp: true),
            Row(name: "Shop.debug.dylib", load: 0x1_04a2_c000, isInApp: true),
            Row(name: "UIKitCore", isInApp: false),
            Row(name: "/usr/lib/system/libsystem_kernel.dylib", isInApp: false),
            Row(name: "libswiftCore.dylib", isInApp: false),
            Row(name: "libswiftCore.dylib", load: 0x1_04a2_c000, isInApp: false),
            Row(name: "libswift_Concurrency.so", isInApp: false),
            Row(name: "libc.so.6", isInApp: false),
            Row(name: "libnetwork.dylib", isInApp: false),
            Row(name: "libnetworking.dylib", isInApp: true),
            Row(name: "libc++abi.dylib", isInApp: false),
            Row(name: "libpthread-2.31.so", isInApp: false),
            Row(name: "libswiftshop.so", isInApp: true),
            Row(name: "libFoundationEssentials.so", isInApp: false),
            Row(name: "libFoundationExtras.so", isInApp: true),
            Row(name: "dyld", isInApp: false),
            Row(name: "dyld", load: 0x1_04a2_c000, isInApp: false),
            // An app's framework with the name of one of Apple's.
            Row(name: "Network", load: 0x1_05a2_c000, isInApp: true),
            Row(name: "Network", load: 0x1_05a2_c000, architecture: "armv7", isInApp: false),
            Row(name: "Network", load: 0x5a2_c000, isInApp: false),
            // Addresses decide, also for images that no table has.
            Row(name: "Unheard", load: 0x1_a2b0_0000, isInApp: false),
            Row(name: "Unheard", load: 0x1_7fff_c000, isInApp: true),
            Row(name: "Unheard", load: 0x1_8000_0000, isInApp: false),
            Row(name: "Unheard", load: 0x3_0000_0000, isInApp: true),
            Row(name: "Unheard", load: 0x7ff8_1234_0000, architecture: "x86_64", isInApp: false),
            Row(name: "Unheard", load: 0x1_a2b0_0000, architecture: "x86_64", isInApp: true),
            Row(name: "Unheard", load: 0x7ff8_1234_0000, architecture: "x86-64", isInApp: true),
            Row(name: "Unheard", load: 0xffff_fe00_0700_4000, isInApp: false),
            // Nothing is known, and an identity alone.
            Row(hasIdentity: false, isInApp: false),
            Row(isInApp: true),
        ])
    func names(row: Row) {
        let image = ImageTraits(
            id: row.hasIdentity ? .shop : nil, name: row.name,
            loadAddress: row.load.map { RuntimeAddress($0) }, architecture: row.architecture)
        #expect(InAppRules().isInApp(image) == row.isInApp)
    }

    @Test(
        "by path",
        arguments: [
            // Apple's systems, their simulators and Xcode.
            ("/System/Library/Frameworks/UIKit.framework/UIKit", false),
            ("/System/Library/PrivateFrameworks/Unheard.framework/Unheard", false),
            ("/System/Cryptexes/OS/usr/lib/libobjc.A.dylib", false),
            (
                "/private/preboot/Cryptexes/OS/System/Library/Frameworks/WebKit.framework/WebKit",
                false
            ),
            ("/System/Volumes/Data/Applications/Shop.app/Contents/MacOS/Shop", true),
            ("/usr/lib/dyld", false), ("/usr/lib/swift/libswiftCore.dylib", false),
            ("/usr/lib/libunheard.1.dylib", false),
            ("/Library/Apple/usr/libexec/oah/libRosettaRuntime", false),
            ("/Library/Developer/CoreSimulator/Volumes/iOS_22A/x.simruntime/Contents/a/Foo", false),
            ("/Applications/Xcode.app/Contents/Developer/Platforms/a/Foo.framework/Foo", false),
            ("/Users/USER/Library/Developer/Xcode/iOS DeviceSupport/18/Symbols/usr/lib/foo", false),
            ("/Users/USER/Library/Developer/CoreSimulator/Devices/A/data/Shop.app/Shop", true),
            ("/private/var/containers/Bundle/Application/A/Shop.app/Shop", true),
            (
                "/private/var/containers/Bundle/Application/A/Shop.app/Frameworks/Pay.framework/Pay",
                true
            ),
            ("/Applications/Shop.app/Contents/Frameworks/Network.framework/Network", true),
            ("/Applications/Shop.app/Contents/MacOS/Photos", true),
            // Runtime libraries that an app contains.
            (
                "/private/var/containers/Bundle/Application/A/Shop.app/Frameworks/libswiftCore.dylib",
                false
            ),
            ("/opt/shop/lib/libswiftCore.so", false), ("/opt/shop/lib/libFoundation.so", false),
            ("/app/libswift_Concurrency.so", false), ("/opt/shop/lib/libshop.so", true),
            // Linux.
            ("/usr/lib/x86_64-linux-gnu/libc.so.6", false), ("/lib64/libunheard.so.2", false),
            ("/usr/lib64/libunheard.so", false), ("/lib/x86_64-linux-gnu/libc-2.31.so", false),
            ("/usr/lib/x86_64-linux-gnu/gconv/UTF-16.so", false),
            ("/lib/ld-musl-x86_64.so.1", false),
            ("/usr/lib/jvm/java-17/lib/server/libjvm.so", false),
            ("/usr/lib/swift/linux/libunheard.so", false),
            ("/opt/swift/usr/lib/swift/linux/libunheard.so", false),
            ("/usr/lib/python3.11/lib-dynload/_json.so", false),
            ("/usr/lib/python3/dist-packages/shop/_shop.so", true),
            ("/nix/store/1f2e-glibc-2.38/lib/libunheard.so.6", false),
            ("/usr/bin/shop", true), ("/usr/lib/shop/shop-server", true),
            ("/usr/lib/shop/libshop.so", true), ("/usr/lib/shop/plugins/libpay.so.1", true),
            ("/usr/local/lib/libshop.so", true), ("/app/Shop", true), ("/srv/shop", true),
            ("/lib/systemd/systemd-journald", true),
            ("/lib/modules/6.1.0/kernel/fs/ext4.ko", false),
            // Android.
            ("/system/lib64/libandroid_runtime.so", false), ("/vendor/lib64/egl/libGLES.so", false),
            ("/apex/com.android.art/lib64/libart.so", false), ("/system/bin/app_process64", false),
            ("/data/app/~~a==/com.example.shop-b==/lib/arm64/libshop.so", true),
            ("/vendor/bundle/libshop.so", true),
        ])
    func paths(path: String, isInApp: Bool) {
        for id in [ImageID.shop, nil] {
            #expect(InAppRules().isInApp(ImageTraits(id: id, name: nil, path: path)) == isInApp)
        }
    }

    @Test("a library in the package of an executable is the app's")
    func packages() {
        var image = ImageTraits(id: .shop, name: nil, path: "/nix/store/1f-shop-1.4/lib/libshop.so")
        #expect(!InAppRules().isInApp(image))
        image.executablePackages = ["/nix/store/1f-shop-1.4"]
        #expect(InAppRules().isInApp(image))
        image.path = "/nix/store/2e-glibc-2.38/lib/libpthread.so"
        #expect(!InAppRules().isInApp(image))
    }

    @Test("the main executable is the app's, wherever it is installed")
    func mainExecutable() async {
        let path = "/System/Applications/Notes.app/Contents/MacOS/Notes"
        var diagnostic = Diagnostic(kind: .crash, tree: .thread([.at(0, of: .shop, "Notes")]))
        diagnostic.images = [ListedImage(id: .shop, name: "Notes", path: path)]
        let plain = await Symbolicator(provider: KnownProvider()).symbolicate(diagnostic)
        #expect(plain.frames.map(\.isInApp) == [false])
        diagnostic.details.fields[.path] = path
        let main = await Symbolicator(provider: KnownProvider()).symbolicate(diagnostic)
        #expect(main.frames.map(\.isInApp) == [true])
        diagnostic.details.fields = [.process: "Notes [4711]"]
        let named = await Symbolicator(provider: KnownProvider()).symbolicate(diagnostic)
        #expect(named.frames.map(\.isInApp) == [true])
    }

    @Test("an address in the shared cache counts on Apple's systems only")
    func otherSystems() async {
        func isInApp(on system: String?, id: ImageID?) async -> Bool? {
            var frame = CallFrame.at(0, of: id, "libshop.so")
            frame.loadAddress = RuntimeAddress(0x7ff8_1234_0000)
            var diagnostic = Diagnostic(kind: .crash, tree: .thread([frame]))
            diagnostic.details.osVersion = system
            diagnostic.details.architecture = "x86_64"
            let result = await Symbolicator(provider: KnownProvider()).symbolicate(diagnostic)
            return result.frames.first?.isInApp
        }
        for system in ["Linux (Ubuntu 24.04)", "Android 16"] {
            #expect(await isInApp(on: system, id: nil) == true)
            #expect(await isInApp(on: system, id: .shop) == true)
        }
        #expect(await isInApp(on: nil, id: nil) == true)
        #expect(await isInApp(on: nil, id: .shop) == false)
        for system in ["macOS 15.1 (24B83)", "OS X 10.11.6 (15G1004)"] {
            #expect(await isInApp(on: system, id: nil) == false)
        }
    }

    @Test(
        "an image with an ELF build ID is never in Apple's address space")
    func buildID() throws {
        let image = try #require(ImageID(bytes: [UInt8](repeating: 7, count: 20)))
        #expect(
            InAppRules().isInApp(
                ImageTraits(
                    id: image, name: "shop", loadAddress: RuntimeAddress(0x7ff8_1234_0000))))
    }

    @Test(
        "configured patterns are the first rule",
        arguments: [
            ("UIKitCore", true), ("Mine", true), ("MyKit", true), ("LibMine.dylib", false),
            ("Other", false), ("Analytics-iOS", false), ("Shop", true), ("/usr/lib/own/x", true),
            ("/opt/vendor/libpay.so", false), ("/System/Library/MyKit", true),
        ])
    func configured(name: String, isInApp: Bool) {
        let rules = InAppRules(
            app: ["UIKitCore", "My*", "Mine", "/usr/lib/own/*"],
            system: ["*.dylib", "Other", "*lyti*", "*/vendor/*"])
        #expect(
            rules.isInApp(
                ImageTraits(
                    id: .shop, name: name, loadAddress: RuntimeAddress(0x1_04a2_c000))) == isInApp)
    }

    @Test("an image of a build is the app's at any address, unless a pattern decides otherwise")
    func known() {
        let rules = InAppRules(system: ["Vendored"], images: [.shop])
        for (name, isInApp) in [("UIKitCore", true), ("Unheard", true), ("Vendored", false)] {
            #expect(
                rules.isInApp(
                    ImageTraits(
                        id: .shop, name: name, loadAddress: RuntimeAddress(0x1_a2b0_0000)))
                    == isInApp)
        }
        #expect(!rules.isInApp(ImageTraits(id: nil, name: "UIKitCore")))
    }
}
