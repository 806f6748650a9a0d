import CallStacks

/// The name, version and build of a system, written like `iPhone OS 18.1 (22B83)`.
struct SystemVersion {
    var name: String?
    var version: String?
    var build: String?

    init(_ text: String) {
        var words = text.split(separator: " ")
        if let last = words.last, last.hasPrefix("("), last.hasSuffix(")") {
            build = String(last.dropFirst().dropLast())
            words.removeLast()
        }
        if let last = words.last, last.first?.isNumber == true {
            version = String(last)
            words.removeLast()
        }
        name = words.isEmpty ? nil : words.joined(separator: " ")
    }
}

/// The time of a report: `2026-10-20 23:00:00.1234 +0100`.
struct ReportTimestamp {
    /// Seconds since 1970.
    let seconds: UInt64

    /// Returns `nil` for other forms, and for times before 1970.
    init?(text: String) {
        let words = text.split { $0 == " " || $0 == "T" }
        guard words.count >= 2 else { return nil }
        let date = words[0].split(separator: "-").compactMap { Int($0) }
        let clock = words[1].prefix { $0 != "." && $0 != "Z" }.split(separator: ":")
            .compactMap { Int($0) }
        guard date.count == 3, clock.count == 3, 1970...9999 ~= date[0], 1...12 ~= date[1],
            1...31 ~= date[2], 0...23 ~= clock[0], 0...59 ~= clock[1], 0...60 ~= clock[2]
        else { return nil }
        let day = GregorianDate(year: Int64(date[0]), month: Int64(date[1]), day: Int64(date[2]))
        let zone = words.count > 2 ? Self.zone(words[2]) : 0
        guard let zone else { return nil }
        let seconds =
            Int(day.daysSince1970) * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2] - zone
        guard seconds >= 0 else { return nil }
        self.seconds = UInt64(seconds)
    }

    /// Returns the offset in seconds of a time zone written like `+0130`.
    private static func zone(_ text: Substring) -> Int? {
        let digits = text.filter(\.isNumber)
        guard digits.count == 4, let number = Int(digits) else { return nil }
        let seconds = number / 100 * 3_600 + number % 100 * 60
        return text.hasPrefix("-") ? -seconds : seconds
    }
}

extension DiagnosticDetails {
    /// The facts about the cause in the report, other than the type of the exception.
    var crashDetails: String? {
        if !applicationMessages.isEmpty { return applicationMessages.joined(separator: "\n") }
        return runtimeMessage ?? fields[.exceptionMessage] ?? exceptionSubtype
            ?? fields[.exceptionCodes]
    }
}

extension SymbolicatedDiagnostic {
    /// The images of the report: the listed ones, or else those of the frames.
    var modules: [ModuleDescription] {
        if !listedImages.isEmpty { return listedImages.map { ModuleDescription($0) } }
        return images.map { image in
            ModuleDescription(
                ListedImage(id: image.image, name: image.name, architecture: image.architecture))
        }
    }
}
