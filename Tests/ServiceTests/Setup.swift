import TestSupport

/// The settings that an operator may change between two runs of a service.
struct Setup: Hashable, Sendable {
    /// The spelling of the first exporter's URL.
    enum Spelling: CaseIterable {
        case plain
        case withSlash
        /// A URL with a port that has no listener.
        case wrong
    }

    /// The name of the first exporter, or `nil` to use its URL.
    private(set) var name: String? = "first"
    private(set) var spelling = Spelling.plain
    private(set) var hasSecond = true
    private(set) var hold = "0s"
    private(set) var format = "text"

    /// Returns the setup with one change.
    func changed(using numbers: inout SplitMix64) -> Self {
        var setup = self
        switch numbers.next() % 5 {
        case 0: setup.name = name == nil ? "name-\(numbers.next() % 1_000)" : nil
        case 1:
            setup.spelling =
                Spelling.allCases.filter { $0 != spelling }.randomElement(using: &numbers) ?? .plain
        case 2: setup.hasSecond.toggle()
        case 3: setup.hold = hold == "0s" ? "1s" : "0s"
        default: setup.format = format == "text" ? "json" : "text"
        }
        return setup
    }

    /// The setups that lead to one in which both exporters reach their backends, with one change
    /// each.
    var steps: [Self] {
        var steps = [self]
        if spelling == .wrong {
            steps.append(steps[steps.count - 1])
            steps[steps.count - 1].spelling = .plain
        }
        if !hasSecond {
            steps.append(steps[steps.count - 1])
            steps[steps.count - 1].hasSecond = true
        }
        return steps
    }

    /// Returns the settings of this setup for ``Site``.
    ///
    /// - Parameter wrongPort: A port without a listener.
    func settings(_ first: Backend, _ second: Backend, wrongPort: Int) -> [String: String] {
        var settings = ["HOLD": hold, "STACKTRACE_FORMAT": format]
        var url = first.url
        switch spelling {
        case .plain: break
        case .withSlash: url += "/"
        case .wrong: url = "http://127.0.0.1:\(wrongPort)"
        }
        settings.merge(Site.exporter(0, url: url, name: name)) { $1 }
        if hasSecond {
            settings.merge(Site.exporter(1, url: second.url, name: "second")) { $1 }
        }
        return settings
    }
}
