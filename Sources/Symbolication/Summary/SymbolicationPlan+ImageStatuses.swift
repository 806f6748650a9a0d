import CallStacks

extension SymbolicationPlan {
    /// Returns the status of each image: those with an identity first, then the names without one.
    ///
    /// Images without a frame that could be looked up are omitted. If a report has no list of
    /// images, those known from other sources are included nevertheless.
    func imageStatuses(_ results: [ImageLookupResults], architecture: String?) -> [ImageStatus] {
        let identified = zip(requests, results).map { request, results in
            var report = ImageStatus(
                image: request.image, name: request.name,
                architecture: results.architecture ?? architecture, status: results.status,
                frameCount: request.frameCount)
            report.isOfSystem = results.isOfSystem
            return report
        }
        let unidentified = unidentified.map {
            ImageStatus(
                image: nil, name: $0.name, architecture: architecture, status: .unidentified,
                frameCount: $0.frameCount)
        }
        return identified + unidentified
    }
}
