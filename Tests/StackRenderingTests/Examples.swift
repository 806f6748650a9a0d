import CallStacks

/// Symbolicated diagnostics, written by hand.
enum Example {
    static let shop = ImageID("1F2E3D4C-5B6A-7988-A7B6-C5D4E3F2011C")!
    static let pay = ImageID("2A3B4C5D-6E7F-8091-A2B3-C4D5E6F70819")!
    static let uiKit = ImageID("0B5E7C11-2233-4455-6677-8899AABBCCDD")!

    /// A trap in an inlined closure, called through the system, and one other thread.
    static let crash: SymbolicatedDiagnostic = {
        var rows = [
            row("Shop", 20796, "Swift runtime failure: Index out of range", inlined: true),
            row(
                "Shop", 20796, "closure #1 in Cart.total(for:)", "Pricing.swift", 21, 9,
                inlined: true),
            row("Shop", 20796, "Cart.total(for:)", "Pricing.swift", 18, 24),
            row("Shop", 20796, "Cart.total(for:)", "Pricing.swift", 18, 24),
            row("UIKitCore", 1_266_292),
            row("Pay", 512),
            row("Shop", 9000, "Cart.checkout()", "Cart.swift", 7),
            row("libdispatch.dylib", 77),
            row("Shop", 40, "main"),
            row(nil, nil),
        ]
        rows[0].isCompilerGenerated = true
        rows[0].status = .symbolOnly
        for (index, physical) in [0, 0, 0, 1, 2, 3, 4, 5, 6, 7].enumerated() {
            rows[index].physical = physical
            rows[index].parent = index == 0 || index == 7 ? nil : index - 1
        }
        rows[2].functionDistance = 84
        rows[3].functionDistance = 84
        rows[3].remarks = [.duplicateInnermost]
        rows[6].isApproximate = true
        rows[6].functionDistance = 1000
        rows[8].status = .symbolOnly
        rows[8].functionDistance = 40
        rows[9].status = .unknownImage
        rows[9].address = RuntimeAddress(0)
        return diagnostic(.crash, rows, stacks: [(nil, 7..<10), ("com.apple.main-thread", 0..<7)])
    }()

    /// A hang of 49 samples that branches twice.
    static let hang: SymbolicatedDiagnostic = {
        let samples: [UInt64] = [49, 49, 12, 7, 30, 30, 18, 12]
        var rows = [
            row("dyld", 6076), row("Shop", 40, "main", "main.swift", 3, 1),
            row("UIKitCore", 1_266_292), row("Pay", 512),
            row("Shop", 9000, "Cart.checkout()", "Cart.swift", 7, 10),
            row("Shop", 9000, "Cart.total(of:)", "Cart.swift", 11, 28, inlined: true),
            row("Shop", 9100, "Item.price.getter", "Item.swift", 4, 5),
            row("libsystem_kernel.dylib", 3000),
        ]
        let parents = [nil, 0, 1, 1, 1, 4, 5, 5]
        for index in rows.indices {
            rows[index].samples = samples[index]
            rows[index].parent = parents[index]
            rows[index].physical = index < 5 ? index : index - 1
        }
        rows[4].functionDistance = 44
        var hang = diagnostic(.hang, rows, stacks: [(nil, 0..<8)])
        hang.form = .sampled
        hang.stacks[0].isAttributed = true
        hang.exceptionName = nil
        hang.exceptionMessage = nil
        hang.details = DiagnosticDetails()
        hang.details.measurement = "3 sec"
        hang.culprit = "Item.price.getter"
        hang.culpritIndex = 6
        return hang
    }()

    /// A row of a frame that stays raw, or of a function.
    static func row(
        _ image: String?, _ offset: UInt64?, _ function: String? = nil, _ file: String? = nil,
        _ line: UInt32 = 0, _ column: UInt32 = 0, inlined: Bool = false
    ) -> SymbolicatedFrame {
        let load = image.map(loadAddress)
        let frame = CallFrame(
            image: image.flatMap { images[$0] }, imageName: image,
            site: offset.map { .programCounter(ImageOffset($0)) },
            address: load.flatMap { load in offset.map { RuntimeAddress(load + $0) } },
            loadAddress: load.map { RuntimeAddress($0) })
        var row = SymbolicatedFrame(
            physical: 0, frame: frame, status: function == nil ? .missingImage : .symbolicated)
        row.isInApp = image == "Shop" || image == "Pay"
        row.function = function
        row.mangled = function.map { "$s4Shop\($0)" }
        row.file = file.map { SourceFile(folder: "/Users/ci/Shop", name: $0) }
        row.line = line
        row.column = column
        row.isInlined = inlined
        return row
    }

    static let images = ["Shop": shop, "Pay": pay, "UIKitCore": uiKit]

    static func diagnostic(
        _ kind: DiagnosticKind, _ rows: [SymbolicatedFrame],
        stacks: [(name: String?, rows: Range<Int>)]
    ) -> SymbolicatedDiagnostic {
        var details = DiagnosticDetails()
        details.appVersion = "2.1"
        details.appBuild = "345"
        details.bundleIdentifier = "com.example.shop"
        details.osVersion = "iPhone OS 18.5 (22F76)"
        details.deviceType = "iPhone15,2"
        details.architecture = "arm64e"
        details.exceptionType = 6
        details.signal = 5
        var diagnostic = SymbolicatedDiagnostic(
            kind: kind, details: details, status: .partial, culprit: "Cart.total(for:)",
            fingerprint: "1:4da0ea2e6962ae1ee6241477428979d6", form: .threads,
            stacks: stacks.enumerated().map { index, stack in
                CallStack(
                    index: index, name: stack.name, isAttributed: stack.name != nil,
                    frames: stack.rows)
            },
            frames: rows,
            images: [
                ImageStatus(
                    image: shop, name: "Shop", architecture: "arm64", status: .found, frameCount: 4),
                ImageStatus(
                    image: uiKit, name: "UIKitCore", architecture: "arm64e", status: .missing,
                    frameCount: 12),
                ImageStatus(
                    image: pay, name: "Pay", architecture: "arm64e", status: .missing, frameCount: 1
                ),
                ImageStatus(
                    image: nil, name: "libdispatch.dylib", architecture: "arm64e",
                    status: .unidentified, frameCount: 1),
            ], remarks: [.orientationDefault])
        diagnostic.culpritIndex = 2
        diagnostic.exceptionName = "EXC_BREAKPOINT"
        diagnostic.exceptionMessage = "Index out of range"
        return diagnostic
    }

    private static func loadAddress(of image: String) -> UInt64 {
        switch image {
        case "Shop": 0x1_04a2_c000
        case "Pay": 0x1_05a2_c000
        default: 0x1_a2b0_0000
        }
    }
}

extension Example {
    /// A crash on macOS with all facts that Apple's text can contain.
    static let macCrash: SymbolicatedDiagnostic = {
        var crash = Example.crash
        crash.details.osVersion = "macOS 15.1 (24B83)"
        crash.details.deviceType = "Mac15,6"
        crash.details.timestamp = "2026-11-20 08:31:06.8000 +0100"
        crash.details.exceptionType = 1
        crash.details.signal = 11
        crash.details.exceptionSubtype = "KERN_INVALID_ADDRESS at 0x0000000000000010"
        crash.details.terminationReason = "SIGNAL 11 Segmentation fault: 11"
        crash.details.virtualMemoryRegion =
            "0x10 is not in any region.\n      REGION TYPE    START - END\n--->  \n 7 a 0x10 b"
        crash.details.applicationMessages = ["Fatal error: rotten\n\nThread 9 Crashed:\r\n"]
        crash.details.objectiveCExceptionName = "Rotten"
        crash.details.objectiveCExceptionMessage = "it's brown"
        crash.details.fields = [
            .incident: "B4C14BC2-EBC6-5CF7-AB0A-B6A88BE70C84",
            .reporterKey: "00000000-0000-0000-0000-000000000001", .process: "Shop [4711]",
            .path: "/Applications/Shop.app/Contents/MacOS/Shop", .codeType: "ARM-64 (Native)",
            .role: "Foreground", .parentProcess: "launchd [1]",
            .coalition: "com.example.shop [625]",
            .responsible: "Terminal [1640]", .userID: "501",
            .launchTime: "2026-11-20 08:30:00.1000 +0100", .releaseType: "User",
            .basebandVersion: "2.1", .sleepWake: "00000000-0000-0000-0000-000000000002",
            .timeAwake: "110000 seconds", .timeSinceWake: "214 seconds",
            .integrityProtection: "enabled",
            .exceptionCodes: "0x0000000000000001, 0x0000000000000010",
            .terminatingProcess: "exc handler [4711]",
            .kernelTriage: "VM - (arg = 0x0) fault\n0 a 0x10 b",
        ]
        let general = (0..<29).map { Registers.Register("x\($0)", $0 == 10 ? .max : $0) }
        let others = ["fp", "lr", "sp", "pc", "cpsr", "far", "esr"]
        crash.details.registers = Registers(
            kind: "ARM Thread State (64-bit)",
            values: general + others.map { .init($0, 0x9200_0046) },
            meaning: "(Data Abort) byte write Translation fault")
        crash.stacks[0].role = .lastException
        crash.stacks[1].name = "io.shop.worker"
        crash.stacks[1].queue = "com.apple.main-thread"
        crash.listedImages = [
            ListedImage(
                id: shop, name: "Shop", path: "/Applications/Shop.app/Contents/MacOS/Shop",
                architecture: "arm64", base: RuntimeAddress(0x1_04a2_c000), size: 0x4000),
            ListedImage(base: RuntimeAddress(0), size: 0),
            ListedImage(
                id: uiKit, name: "UIKitCore", path: "/System/UIKitCore", architecture: "arm64e",
                base: RuntimeAddress(0x1_a2b0_0000), size: 0x20_0000, version: "9.1"),
        ]
        return crash
    }()
}
