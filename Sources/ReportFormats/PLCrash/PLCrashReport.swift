import CallStacks
package import MetricKitPayloads

/// Binary reports of PLCrashReporter (`.plcrash`): a seven-letter magic, a version, and a Protocol
/// Buffers message (`PLCrashReport.proto`).
///
/// Addresses are those of the unwinder: program counters in first frames, and return addresses in
/// all other frames and in those of the exception.
package struct PLCrashReport {
    static let start = Array("plcrash".utf8) + [1]

    /// The maximum time, in seconds.
    private static let timeLimit: UInt64 = 1 << 40

    private let message: WireMessage
    private let images: [ListedImage]
    private let table: ImageAddressMap
    private let architecture: Architecture?
    private var stacks: StackCollector
    private var isTruncated: Bool

    /// Returns the report in a file, or `nil` if it has another format.
    package static func report(in bytes: [UInt8], limits: PayloadLimits) -> CrashReport? {
        guard bytes.starts(with: start) else { return nil }
        var report = Self(WireMessage(bytes[start.count...]), limits)
        report.read()
        guard !report.images.isEmpty || !report.stacks.tree.frames.isEmpty else { return nil }
        return CrashReport(
            .plcrash, range: 0..<bytes.count, content: .resolved(report.diagnostic),
            rewriter: nil)
    }

    private init(_ message: WireMessage, _ limits: PayloadLimits) {
        self.message = message
        images = message.messages(4).prefix(limits.imagesPerTree).map(ListedImage.init(plcrash:))
        table = ImageAddressMap(images)
        architecture = Self.architecture(message)
        stacks = StackCollector(limits: limits)
        isTruncated = message.isBroken
    }

    private static func architecture(_ message: WireMessage) -> Architecture? {
        if let processor = message.messages(8).last?.messages(2).last {
            return Architecture(processor)
        }
        return switch message.messages(1).last?[number: 3] {
        case 0: Architecture(name: "i386")
        case 1: .x86On64
        case 5: .armv7
        default: nil
        }
    }

    private mutating func read() {
        for exception in message.messages(5) where !exception.messages(3).isEmpty {
            add(exception.messages(3), areReturnAddresses: true)
            stacks.endStack(name: nil, isAttributed: false, role: .lastException)
        }
        for thread in message.messages(3) {
            if thread.isBroken { isTruncated = true }
            add(thread.messages(2), areReturnAddresses: false)
            stacks.endStack(
                number: thread[number: 1].flatMap { Int(exactly: $0) }, name: nil,
                isAttributed: thread[number: 3] == 1)
        }
    }

    private mutating func add(_ frames: [WireMessage], areReturnAddresses: Bool) {
        for value in frames {
            guard let address = value[number: 3] else { continue }
            let isReturn = areReturnAddresses || !stacks.isAtStart
            let symbol = value.messages(6).last
            var given: ReportedFunction?
            if let name = symbol?[text: 1], !ReportedFunction.placeholders.contains(name) {
                let start = symbol?[number: 2] ?? 0
                given = ReportedFunction(
                    name: name, distance: start > 0 && start <= address ? address - start : nil)
            }
            let frame = frame(at: address, isReturnAddress: isReturn)
            guard stacks.append(frame, given: given) != nil else { return }
        }
    }

    private func frame(at address: UInt64, isReturnAddress: Bool) -> CallFrame {
        let address = RuntimeAddress(address)
        guard let (position, offset) = table.image(at: address) else {
            return CallFrame(image: nil, imageName: nil, site: nil, address: address)
        }
        let image = images[position]
        let site = CallSite(offset, in: image, isReturnAddress: isReturnAddress, on: architecture)
        return CallFrame(in: image, at: site, address: address)
    }

    private var diagnostic: Diagnostic {
        var diagnostic = Diagnostic(
            kind: message.messages(9).last?[number: 1] == 1 ? .unknown : .crash, details: details,
            tree: stacks.tree)
        diagnostic.images = images
        if images.isEmpty { diagnostic.remarks.append(.noImageList) }
        if isTruncated { diagnostic.remarks.append(.textTruncated) }
        return diagnostic
    }

    /// The maximum number of registers. Processors have some forty.
    private static let registersLimit = 256

    /// The registers of the thread that crashed.
    private var registers: Registers? {
        let thread = message.messages(3).first { $0[number: 3] == 1 }
        let values = thread?.messages(4).prefix(Self.registersLimit).compactMap { register in
            register[text: 1].map { Registers.Register($0, register[number: 2] ?? 0) }
        }
        guard let values, !values.isEmpty, let kind = architecture?.threadState else { return nil }
        return Registers(kind: kind, values: values)
    }

    /// The names of operating systems, as Apple's reports write them. Simulators run on macOS.
    private static let systemNames: [UInt64: String] = [
        0: "macOS", 1: "iPhone OS", 2: "macOS", 4: "Apple TVOS",
    ]

    private var details: DiagnosticDetails {
        var details = DiagnosticDetails()
        let system = message.messages(1).last
        let app = message.messages(2).last
        let signal = message.messages(6).last
        let process = message.messages(7).last
        details.osVersion = system?[text: 2].map { version in
            let name = system?[number: 1].flatMap { Self.systemNames[$0] }
            let build = system?[text: 5].map { "(\($0))" }
            return [name, version, build].compactMap(\.self).joined(separator: " ")
        }
        details.timestamp = system?[number: 4].flatMap { seconds in
            guard seconds > 0, seconds < Self.timeLimit else { return nil }
            return UnixTime(rawValue: Int64(seconds) * 1_000).text
        }
        details.architecture = architecture?.name
        details.bundleIdentifier = app?[text: 1]
        details.appBuild = app?[text: 2]
        details.appVersion = app?[text: 3] ?? app?[text: 2]
        details.deviceType = message.messages(8).last?[text: 1]
        details.processName = process?[text: 1]
        details.registers = registers
        details.fields[.path] = process?[text: 3]
        if let name = signal?[text: 1] { details.setSignal(named: name) }
        if let mach = signal?.messages(4).last {
            details.exceptionType = mach[number: 1]
            details.exceptionCode = mach.numbers(2).first
        }
        if let exception = message.messages(5).last {
            details.objectiveCExceptionName = exception[text: 1]
            details.objectiveCExceptionMessage = exception[text: 2]
        }
        return details
    }
}

extension Architecture {
    /// The heading of the registers in Apple's reports.
    fileprivate var threadState: String? {
        switch self {
        case .arm64, .arm64e: "ARM Thread State (64-bit)"
        case .x86On64: "X86 Thread State (64-bit)"
        case .armv7: "ARM Thread State (32-bit)"
        default: nil
        }
    }

    /// Creates an architecture from a processor's Mach-O numbers.
    fileprivate init?(_ processor: WireMessage) {
        guard processor[number: 1] == 1, let type = processor[number: 2] else { return nil }
        self.init(
            cpuType: UInt32(truncatingIfNeeded: type),
            cpuSubtype: UInt32(truncatingIfNeeded: processor[number: 3] ?? 0))
    }
}

extension ListedImage {
    fileprivate init(plcrash image: WireMessage) {
        let path = image[text: 3]
        self.init(
            id: image[bytes: 4].flatMap { ImageID(bytes: $0) },
            name: path?.split(separator: "/").last.map(String.init), path: path,
            architecture: image.messages(5).last.flatMap { Architecture($0) }?.name,
            base: image[number: 1].map { RuntimeAddress($0) }, size: image[number: 2])
    }
}
