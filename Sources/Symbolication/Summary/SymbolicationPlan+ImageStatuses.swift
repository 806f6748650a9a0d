import CallStacks

extension SymbolicationPlan {
    /// Returns the status of each image: those with an identity first, then the names without one.
    ///
    /// Images without a frame that could be looked up are omitted. If a report has no list of
    /// images, those known from other sources are included nevertheless.
    ///
    /// An image's architecture is that of its symbols, or else what the report states for the image,
    /// or for the process.
    func imageStatuses(
        _ results: [ImageLookupResults], in diagnostic: Diagnostic
    ) -> [ImageStatus] {
        let listed = diagnostic.images.reduce(into: [ImageID: String]()) { listed, image in
            if let id = image.id, listed[id] == nil { listed[id] = image.architecture }
        }
        let architecture = diagnostic.details.architecture
        let identified = zip(requests, results).map { request, results in
            var report = ImageStatus(
                image: request.image, name: request.name,
                architecture: results.architecture ?? listed[request.image] ?? architecture,
                status: results.status, frameCount: request.frameCount)
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
