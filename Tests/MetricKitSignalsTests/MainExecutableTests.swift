import MetricKitSignals
import OTLP
import TestSupport
import Testing

/// The build of the main executable, `app.build_id`.
@Suite("Main executables")
struct MainExecutableTests {
    private static let executable = "11111111-2222-3333-4444-5555555555AF"

    /// Returns a frame of an image with a UUID, and the frames that it contains.
    private func frame(
        _ image: String, _ uuid: String, _ inner: String = "", at address: UInt64 = 0x1_0000_4000
    ) -> String {
        let digits = String(uuid.filter { $0 != "-" }.lowercased())
        return """
            {"binaryName": "\(image)", "binaryUUID": "\(digits)", "address": \(address),
            "offsetIntoBinaryTextSegment": 16384, "sampleCount": 1, "subFrames": [\(inner)]}
            """
    }

    private let library = "AAAAAAAA-2222-3333-4444-555555555555"

    private func loader(_ inner: String = "", name: String = "dyld") -> String {
        frame(name, "DDDDDDDD-2222-3333-4444-555555555555", inner, at: 0x1_9000_4000)
    }

    private func attributes(
        _ root: String, kind: String = "crash", hasAdditions: Bool = true
    ) -> [String: AnyValue.OneOf_Value] {
        signals(
            """
            {"\(kind)Diagnostics": [{"callStackTree": {"callStackPerThread": true, "callStacks": [
            {"threadAttributed": true, "callStackRootFrames": [\(root)]}]},
            "diagnosticMetaData": {"appBuildVersion": "217", "platformArchitecture": "arm64"}}]}
            """, hasAdditions: hasAdditions
        ).recordAttributes()
    }

    @Test("a crash has the UUID of the image that the loader calls, in upper case with hyphens")
    func crash() {
        let crash = attributes(
            frame("ShopKit", library, frame("Shop", Self.executable, loader())))
        #expect(crash["app.build_id"] == .stringValue(Self.executable))
        #expect(crash["metrickit.metadata.app_build_version"] == .stringValue("217"))
    }

    @Test("a hang's tree begins with the loader")
    func hang() {
        let inner = frame("Shop", Self.executable, frame("UIKitCore", library, at: 0x1_9100_0000))
        #expect(
            attributes(loader(inner), kind: "hang")["app.build_id"]
                == .stringValue(Self.executable))
    }

    @Test("in a simulator, the simulator's loader calls the executable")
    func simulator() {
        let crash = attributes(
            frame("Shop", Self.executable, loader(loader(), name: "dyld_sim")))
        #expect(crash["app.build_id"] == .stringValue(Self.executable))
    }

    @Test(
        "an image that is not the executable does not become the build",
        arguments: ["initialiser", "extension", "debug library", "thread"])
    func others(caller: String) {
        let root =
            switch caller {
            case "initialiser": frame("ShopKit", library, loader(loader()))
            case "extension": frame("Foundation", library, loader(), at: 0x1_9200_0000)
            case "debug library": frame("Shop.debug.dylib", library, loader())
            default: frame("Shop", Self.executable, frame("libsystem_pthread.dylib", library))
            }
        #expect(attributes(root)["app.build_id"] == nil)
    }

    @Test("the build is not an attribute of the resource, nor of the instrumentation's records")
    func elsewhere() {
        let root = frame("Shop", Self.executable, loader())
        #expect(attributes(root, hasAdditions: false)["app.build_id"] == nil)
        let resource = signals(
            #"{"crashDiagnostics": [{"diagnosticMetaData": {"appBuildVersion": "217"}}]}"#
        ).records.first?.resource
        #expect(resource?.attributes["app.build_id"] == nil)
    }
}
