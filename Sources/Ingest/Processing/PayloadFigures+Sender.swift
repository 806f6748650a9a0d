import Crypto
import MetricKitSignals

extension PayloadFigures {
    /// Returns the figures for the app to which the sender's token is bound. They count for that
    /// app even if another app sent the same payload.
    func sent(by app: String?) -> Self {
        guard let app else { return self }
        var figures = self
        figures.app = app
        figures.digest = Array(SHA256.hash(data: digest + Array(app.utf8)).prefix(digest.count))
        return figures
    }
}
