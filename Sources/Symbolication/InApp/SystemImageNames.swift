/// The names of system images, for diagnostics without load addresses and for systems without a
/// shared cache.
///
/// A name is weak evidence, because an app may contain a framework with the name of one of Apple's.
/// So this table is used last, and lists the images seen in stacks rather than all existing
/// frameworks.
public enum SystemImageNames {
    public static func contains(_ name: Substring) -> Bool {
        isFramework(name) || isRuntime(name)
    }

    static func isFramework(_ name: Substring) -> Bool { frameworks.contains(String(name)) }

    /// Whether the name is that of a runtime library of a language or the system, which an app may
    /// contain although it is not its own code: `libswiftCore.so`.
    static func isRuntime(_ name: Substring) -> Bool {
        if loaders.contains(String(name)) { return true }
        let bytes = name.utf8.span
        return prefixes.contains { bytes.isInFamily($0) }
    }

    /// The starts of names of dynamic libraries: Apple's own, Swift's runtime, and glibc's with its
    /// loaders. A lower-case letter may not follow a letter: `libnetworking.dylib` is another
    /// library than `libnetwork.dylib`.
    private static let prefixes = [
        "libsystem_", "libSystem.", "libobjc.", "libdispatch", "libdyld", "libc++", "libc++abi",
        "libicucore",
        "libsqlite3.", "libxpc", "libnetwork", "libnetworkextension", "libboringssl",
        "libcorecrypto", "libCoreAnimation",
        "libMobileGestalt", "libAccessibility", "libBacktraceRecording", "libMainThreadChecker",
        "libxml2.", "libz.", "libcompression", "libcommonCrypto", "libunwind", "libmacho",
        "libdebugd", "libLLVM", "libclang_rt.", "libGPUSupport", "libRPAC", "liboah", "libRosetta",
        "libswift", "libswiftos", "libswiftsimd", "libswiftstdint", "libswiftsys_",
        "libswiftunistd",
        "lib_InternalSwift", "lib_StringProcessing", "lib_FoundationICU",
        "libFoundation.", "libFoundationEssentials", "libFoundationInternationalization",
        "libFoundationNetworking", "libFoundationXML", "libXCTest", "libBlocksRuntime",
        "libc.so", "libc-2.", "libm.so", "libpthread", "libdl.so", "librt.so", "libgcc_s.",
        "libstdc++", "ld-linux", "ld-2.", "ld-musl", "[vdso]", "linux-vdso", "linux-gate",
        "libcrypt.so", "libresolv.so", "libnss_", "libanl.so", "libutil.so", "libnsl.so",
        "libgomp.so", "libatomic.so", "libasan.so", "libtsan.so", "libubsan.so", "liblsan.so",
        "com.apple.", "AppleMetal", "AGXMetal", "AppleIntel",
    ].map { Array($0.utf8) }

    /// Images that are mapped among those of the app but do not belong to it.
    private static let loaders: Set<String> = [
        "dyld", "dyld_sim", "kernel", "kernel.release", "mach_kernel", "xnu", "libpac.dylib",
        "DebugHierarchyFoundation", "XCTest", "XCTestCore", "XCUIAutomation",
    ]

    private static let frameworks: Set<String> = [
        "ARKit", "AVFAudio", "AVFCore", "AVFoundation", "AVKit", "AXRuntime", "Accelerate",
        "Accessibility", "AccessibilityUtilities", "Accounts", "AdSupport",
        "AppKit", "AppSupport", "AppleJPEG", "AssetsLibrary", "AttributeGraph", "AudioToolbox",
        "AudioToolboxCore", "AuthenticationServices", "BackBoardServices", "BackgroundTasks",
        "BaseBoard", "BoardServices", "BrowserEngineKit", "CFNetwork", "CallKit", "Carbon",
        "CarPlay", "CloudKit", "Combine", "Contacts", "ContactsUI", "CoreAudio", "CoreAutoLayout",
        "CoreBluetooth", "CoreData", "CoreFoundation", "CoreGraphics", "CoreHaptics", "CoreImage",
        "CoreLocation", "CoreMIDI", "CoreML", "CoreMedia", "CoreMotion", "CoreNFC", "CoreServices",
        "CoreServicesInternal", "CoreSpotlight", "CoreTelephony", "CoreText", "CoreUI",
        "CoreUtils", "CoreVideo", "CryptoKit", "CryptoTokenKit",
        "DesignLibrary", "DeviceCheck", "DifferentiableSwift", "DiskArbitration",
        "EventKit", "Espresso", "FileProvider", "Foundation",
        "FrontBoard", "FrontBoardServices", "GLKit", "GameController", "GameKit", "Gestures",
        "GraphicsServices", "GroupActivities", "HIServices", "HIToolbox", "HealthKit", "HomeKit",
        "IOKit", "IOMobileFramebuffer", "IOSurface", "IOSurfaceAccelerator", "ImageIO", "Intents",
        "IntentsUI", "JavaScriptCore", "KeyboardServices", "LaunchServices", "LinkPresentation",
        "LocalAuthentication", "MPSCore", "MPSNeuralNetwork", "ManagedConfiguration", "MapKit",
        "MediaPlayer", "MediaToolbox", "MessageUI", "Metal", "MetalKit",
        "MetalPerformanceShaders", "MetricKit", "MobileCoreServices", "MultipeerConnectivity",
        "NaturalLanguage", "Network", "NetworkExtension", "NotificationCenter", "Observation",
        "OpenGLES", "PassKit", "PassKitCore", "PDFKit", "PencilKit", "Photos", "PhotosUI",
        "ProVideo", "PrototypeTools", "PushKit", "QuartzCore", "QuickLook", "QuickLookUI",
        "RealityKit", "RenderBox", "ReplayKit", "RunningBoardServices", "SafariServices",
        "SceneKit", "ScreenTime", "Security", "SkyLight", "Social", "SpeechRecognitionCore",
        "Speech", "SpringBoardServices", "SpriteKit", "StoreKit", "SwiftData", "SwiftUI",
        "SwiftUICore", "SystemConfiguration", "TCC", "TextInput", "TextInputCore", "TextInputUI",
        "UIFoundation", "UIKit", "UIKitCore", "UIKitMacHelper", "UIKitServices",
        "UniformTypeIdentifiers", "UserNotifications", "UserNotificationsUI", "VectorKit",
        "VideoToolbox", "ViewBridge", "Vision", "WatchConnectivity", "WatchKit", "WebCore",
        "WebKit", "WebKitLegacy", "WidgetKit",
        "vImage", "caulk", "CFXKernels", "DataDetectorsCore", "TrustedPeers",
    ]
}

extension Span<UInt8> {
    /// Whether the name starts with `prefix`, and a word of the name ends there.
    fileprivate func isInFamily(_ prefix: [UInt8]) -> Bool {
        guard count >= prefix.count else { return false }
        for index in prefix.indices where self[index] != prefix[index] { return false }
        guard count > prefix.count, let last = prefix.last, last.isLetter else { return true }
        return !self[prefix.count].isLowerCaseLetter
    }
}

extension UInt8 {
    fileprivate var isLowerCaseLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
    }

    fileprivate var isLetter: Bool { (self | 0x20).isLowerCaseLetter }
}
