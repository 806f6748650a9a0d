import Crypto
import MetricKitSignals

extension PayloadFigures {
    /// Returns the figures of the app that the sender's token is bound to. They count for that app
    /// even if another app sent the same.
    func sent(by app: String?) -> Self {
        guard let app else { return self }
        var figures = self
        figures.app = app
        figures.digest = Array(SHA256.hash(data: digest + Array(app.utf8)).prefix(digest.count))
        return figures
    }
}
