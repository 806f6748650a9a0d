import FlameGraphs
import Hummingbird
import Ingest

extension Response {
    /// Returns a flame graph as a file to save.
    static func download(
        _ flame: MergedFlames.Flame, of subject: FlameQuery.Subject,
        by weighting: FlameGraphBuilder.Weighting, as format: FlameController.Format
    ) throws -> Response {
        let ending =
            switch format {
            case .collapsed: "txt"
            case .speedscope: "speedscope.json"
            case .json: "json"
            }
        return try FlameController.response(
            flame, subject: subject, weighting: weighting, format: format
        ).asDownload(named: subject.title, ending: ending)
    }
}
