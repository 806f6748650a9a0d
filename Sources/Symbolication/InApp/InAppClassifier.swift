import CallStacks

/// Decides which frames belong to the app, once for all frames of an image.
struct InAppClassifier {
    private struct Question: Hashable {
        var image: ImageID?
        var name: String?
        var loadAddress: RuntimeAddress?

        /// Images rarely have two names, so the name is not hashed if there is an identity.
        func hash(into hasher: inout Hasher) {
            hasher.combine(image)
            hasher.combine(loadAddress)
            if image == nil { hasher.combine(name) }
        }
    }

    private let rules: InAppRules
    private let details: DiagnosticDetails
    private let isOnApplesSystem: Bool?
    private let listed: ListedImageIndex
    private let systemImages: Set<ImageID>
    private var verdicts = [Question: Bool](minimumCapacity: 12)
    private var last: (question: Question, verdict: Bool)?

    /// - Parameter systemImages: The images whose symbols are those of Apple's systems.
    init(rules: InAppRules, for diagnostic: Diagnostic, systemImages: Set<ImageID>) {
        self.rules = rules
        self.systemImages = systemImages
        details = diagnostic.details
        isOnApplesSystem = details.isOnApplesSystem
        listed = ListedImageIndex(diagnostic.images)
    }

    /// - Parameter name: The name of the frame's image.
    mutating func isInApp(_ frame: CallFrame, named name: String?) -> Bool {
        // If the image is unknown, the address itself is decisive: no image spans two regions.
        let question = Question(
            image: frame.image, name: name,
            loadAddress: frame.loadAddress ?? (frame.image == nil ? frame.address : nil))
        if let last, last.question == question { return last.verdict }
        let known = verdicts[question]
        let verdict = known ?? judge(question)
        if known == nil { verdicts[question] = verdict }
        last = (question, verdict)
        return verdict
    }

    private func judge(_ question: Question) -> Bool {
        let entry = listed[question.image, question.name]
        var image = ImageTraits(
            id: question.image, name: question.name ?? entry?.name, path: entry?.path,
            loadAddress: question.loadAddress,
            architecture: details.architecture ?? entry?.architecture)
        image.isMainExecutable = details.isMainExecutable(image)
        image.isOnApplesSystem = isOnApplesSystem
        image.hasSystemSymbols = question.image.map(systemImages.contains) ?? false
        image.executablePackages = listed.executablePackages
        return rules.isInApp(image)
    }
}

/// The images that a report lists, by identity and by name.
private struct ListedImageIndex {
    private var byID: [ImageID: ListedImage] = [:]
    private var byName: [String: ListedImage] = [:]
    private(set) var executablePackages: Set<Substring> = []

    init(_ images: [ListedImage]) {
        for image in images {
            if let id = image.id { byID[id] = byID[id] ?? image }
            if let name = image.name { byName[name] = byName[name] ?? image }
            if let path = image.path, let package = ImageLocation.package(ofExecutable: path) {
                executablePackages.insert(package)
            }
        }
    }

    subscript(id: ImageID?, name: String?) -> ListedImage? {
        if let id { return byID[id] }
        return name.flatMap { byName[$0] }
    }
}

extension DiagnosticDetails {
    /// The names of other systems, at the start of a report's system or after its version.
    private static let otherSystems = ["linux", "android", "windows"]
    private static let applesSystems = [
        "mac", "os x", "iphone", "ios", "ipad", "tvos", "apple", "watch", "vision", "xros",
    ]

    /// Whether the report is from one of Apple's systems, or `nil` if it names no known system.
    fileprivate var isOnApplesSystem: Bool? {
        guard let system = osVersion?.lowercased() else { return nil }
        if Self.applesSystems.contains(where: system.hasPrefix) { return true }
        return Self.otherSystems.contains { system.contains($0) } ? false : nil
    }

    /// Whether the image is the process's main executable. Android's `app_process`, in which every
    /// app runs, belongs to the system and does not count.
    fileprivate func isMainExecutable(_ image: ImageTraits) -> Bool {
        guard let name = image.name, !name.hasPrefix("app_process") else { return false }
        if let path = fields[.path], path == image.path { return true }
        let process = fields[.process].map { $0.prefix { $0 != "[" } } ?? processName?[...]
        guard image.path != nil, let process else { return false }
        return process == name || process == "\(name) "
    }
}
