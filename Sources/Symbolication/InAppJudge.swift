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
    private let architecture: String?
    private var verdicts: [Question: Bool] = [:]
    private var last: (question: Question, verdict: Bool)?

    init(rules: InAppRules, architecture: String?) {
        self.rules = rules
        self.architecture = architecture
    }

    /// - Parameter answers: What the image's symbols answered, if they were asked.
    mutating func isInApp(_ frame: CallFrame, _ answers: ImageAnswers?) -> Bool {
        // Where no image is known, the address itself tells: no image spans two regions.
        let question = Question(
            image: frame.image, name: frame.imageName,
            loadAddress: frame.loadAddress ?? (frame.image == nil ? frame.address : nil))
        if let last, last.question == question { return last.verdict }
        let known = verdicts[question]
        let verdict = known ?? judge(question, answers)
        if known == nil { verdicts[question] = verdict }
        last = (question, verdict)
        return verdict
    }

    private func judge(_ question: Question, _ answers: ImageAnswers?) -> Bool {
        rules.isInApp(
            image: question.image, name: question.name, loadAddress: question.loadAddress,
            hasSymbols: answers.map { $0.status == .found || $0.status == .noDebugInfo } ?? false,
            architecture: answers?.architecture ?? architecture)
    }
}
