import CallStacks
import Testing

@testable import SymbolStores

@Suite("Names of DeviceSupport folders")
struct DeviceSupportNameTests {
    @Test(
        "version and build are read from the innermost folder with both",
        arguments: [
            ("18.1 (22B83)", "18.1", "22B83"),
            ("/a/iPhone15,2 18.1 (22B83)/Symbols/System", "18.1", "22B83"),
            ("iPhone15,2 18.1.1 (22B91) arm64e/Symbols", "18.1.1", "22B91"),
            ("18.1 (22B83) universal", "18.1", "22B83"),
            ("26.0 (23A5260n)/iPhone18,1 27.0 (24A335)/arm64e", "27.0", "24A335"),
        ])
    func names(path: String, version: String, build: String) {
        let name = DeviceSupportName(path: path)
        #expect(name?.version == version)
        #expect(name?.build == build)
        let system = name?.system(platform: "ios", architecture: "arm64e")
        #expect(
            system
                == SystemBuild(name: "iPhone OS \(version)", build: build, architecture: "arm64e"))
    }

    @Test(
        "other folders name no system",
        arguments: ["", "Symbols", "copy (2)", "18.1", "18.1 (22B83", "(22B83)", "a 18.1 ()"])
    func others(path: String) {
        #expect(DeviceSupportName(path: path) == nil)
    }
}
