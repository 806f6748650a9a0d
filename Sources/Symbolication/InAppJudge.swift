import CallStacks

/// Decides for each frame whether it is the app's, and decides once for all frames of one image.
struct InAppJudge {
    private struct Question: Hashable {
        var image: ImageID?
        var name: String?
        var loadAddress: RuntimeAddress?

        /// Images of two names are rare, so a name that stands beside an identity is left out.
        func hash(into hasher: inout Hasher) {
            hasher.combine(image)
            hasher.combine(loadAddress)
            if image == nil { hasher.combine(name) }
        }
    }

    private let rules: InAppRules
    private let details: DiagnosticDetails
    private let listed: ListedImages
    private var verdicts: [Question: Bool] = [:]
    private var last: (question: Question, verdict: Bool)?

    init(rules: InAppRules, for diagnostic: Diagnostic) {
        self.rules = rules
        details = diagnostic.details
        listed = ListedImages(diagnostic.images)
    }

    mutating func isInApp(_ frame: CallFrame) -> Bool {
        // Where no image is known, the address itself tells: no image spans two regions.
        let question = Question(
            image: frame.image, name: frame.imageName,
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
        var image = JudgedImage(
            id: question.image, name: question.name ?? entry?.name, path: entry?.path,
            loadAddress: question.loadAddress,
            architecture: details.architecture ?? entry?.architecture)
        image.isMainExecutable = details.isMainExecutable(image)
        image.executablePackages = listed.executablePackages
        return rules.isInApp(image)
    }
}

/// The images that a report lists, by identity and by name.
private struct ListedImages {
    private var byID: [ImageID: ReportedImage] = [:]
    private var byName: [String: ReportedImage] = [:]
    private(set) var executablePackages: Set<Substring> = []

    init(_ images: [ReportedImage]) {
        for image in images {
            if let id = image.id { byID[id] = byID[id] ?? image }
            if let name = image.name { byName[name] = byName[name] ?? image }
            if let path = image.path, let package = ImageLocation.package(ofExecutable: path) {
                executablePackages.insert(package)
            }
        }
    }

    subscript(id: ImageID?, name: String?) -> ReportedImage? {
        if let id { return byID[id] }
        return name.flatMap { byName[$0] }
    }
}

extension DiagnosticDetails {
    /// Whether an image is the file that the process was started from. Every app of Android runs in
    /// one of the system's.
    fileprivate func isMainExecutable(_ image: JudgedImage) -> Bool {
        guard let name = image.name, !name.hasPrefix("app_process") else { return false }
        if let path = fields[.path], path == image.path { return true }
        let process = fields[.process].map { $0.prefix { $0 != "[" } } ?? processName?[...]
        guard image.path != nil, let process else { return false }
        return process == name || process == "\(name) "
    }
}
