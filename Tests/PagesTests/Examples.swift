import CallStacks

/// Diagnostics as pages get them.
enum Example {
    static let shop = ImageID("1F2E3D4C-5B6A-7988-A7B6-C5D4E3F2011C")!
    static let pay = ImageID("2A3B4C5D-6E7F-8091-A2B3-C4D5E6F70819")!

    /// A crash with inlined calls, raw frames, system frames in a row and a second thread.
    static let crash: SymbolicatedDiagnostic = {
        var rows = [
            row(
                "Shop", 0x513c, "closure #1 in Cart.total(for:)", "Pricing.swift", 21, inlined: true
            ),
            row("Shop", 0x513c, "Cart.total(for:)", "Pricing.swift", 18),
            row("Pay", 0x200),
        ]
        rows += (0..<4).map { row("UIKitCore", 0x1000 + $0 * 4) }
        rows += [row("Shop", 0x28, "main"), row("libsystem_kernel.dylib", 0x77)]
        rows[7].status = .symbolOnly
        for index in rows.indices {
            rows[index].physical = index
            rows[index].parent = index == 0 || index == 8 ? nil : index - 1
        }
        rows[1].physical = 0
        var crash = diagnostic(.crash, .threads, rows)
        crash.stacks = [
            CallStack(index: 0, name: "main", isAttributed: true, frames: 0..<8),
            CallStack(index: 1, name: nil, isAttributed: false, frames: 8..<9),
        ]
        crash.culpritIndex = 0
        return crash
    }()

    /// A hang whose samples branch below system frames.
    static let hang: SymbolicatedDiagnostic = {
        let samples: [UInt64] = [40, 40, 40, 40, 40, 25, 25, 12, 3]
        let parents = [nil, 0, 1, 2, 3, 4, 5, 4, 4]
        var rows = [row("Shop", 0x40, "main", "main.swift", 3)]
        rows += (0..<3).map { row("UIKitCore", 0x2000 + $0 * 4) }
        rows += [
            row("Shop", 0x80, "rebuildIndex(rows:)", "Index.swift", 9),
            row("Shop", 0x90, "hashRow(_:)", "Index.swift", 20),
            row("Shop", 0x90, "mix(_:)", "Index.swift", 31, inlined: true),
            row("Shop", 0xa0, "store(_:)", "Index.swift", 40), row("Pay", 0x44),
        ]
        for index in rows.indices {
            rows[index].physical = index
            rows[index].parent = parents[index]
            rows[index].samples = samples[index]
        }
        var hang = diagnostic(.hang, .sampled, rows)
        hang.stacks = [
            CallStack(index: 0, name: nil, isAttributed: true, frames: 0..<9)
        ]
        hang.culpritIndex = 6
        return hang
    }()

    private static func row(
        _ image: String, _ offset: UInt64, _ function: String? = nil, _ file: String? = nil,
        _ line: UInt32 = 0, inlined: Bool = false
    ) -> SymbolicatedFrame {
        let id = ["Shop": shop, "Pay": pay][image]
        var row = SymbolicatedFrame(
            physical: 0,
            frame: CallFrame(
                image: id, imageName: image, site: .programCounter(ImageOffset(offset)),
                address: RuntimeAddress(0x1_0000_0000 + offset)),
            status: function == nil ? .missingImage : .symbolicated)
        row.isInApp = id != nil
        row.function = function
        row.mangled = function.map { "$s4Shop\($0)" }
        row.file = file.map { SourceFile(folder: "/Users/ci/Shop", name: $0) }
        row.line = line
        row.isInlined = inlined
        return row
    }

    private static func diagnostic(
        _ kind: DiagnosticKind, _ form: CallStackTree.Form, _ rows: [SymbolicatedFrame]
    ) -> SymbolicatedDiagnostic {
        var details = DiagnosticDetails()
        details.appVersion = "1.4.0"
        details.appBuild = "217"
        details.bundleIdentifier = "com.example.shop"
        details.osVersion = "iPhone OS 18.1 (22B83)"
        details.signal = kind == .crash ? 5 : nil
        details.measurement = kind == .hang ? "3 sec" : nil
        return SymbolicatedDiagnostic(
            kind: kind, details: details, status: .partial, culprit: "Cart.total(for:)",
            fingerprint: "1:4da0", form: form, stacks: [], frames: rows,
            images: [
                ImageStatus(
                    image: shop, name: "Shop", architecture: "arm64", status: .found, frameCount: 3),
                ImageStatus(
                    image: pay, name: "Pay", architecture: nil, status: .missing, frameCount: 1),
            ], remarks: [])
    }
}
