import CallStacks

extension SymbolicationPlan {
    /// What became of each image: those with an identity first, then the names without one.
    ///
    /// Images of which no frame could be looked up are left out: nothing was wanted of them. Where a
    /// report lists no images, what is known of one otherwise stands here even so.
    func reports(_ answers: [ImageAnswers], architecture: String?) -> [ImageReport] {
        let identified = zip(requests, answers).map { request, answers in
            ImageReport(
                image: request.image, name: request.name,
                architecture: answers.architecture ?? architecture, status: answers.status,
                frameCount: request.frameCount)
        }
        let unidentified = unidentified.map {
            ImageReport(
                image: nil, name: $0.name, architecture: architecture, status: .unidentified,
                frameCount: $0.frameCount)
        }
        return identified + unidentified
    }
}
