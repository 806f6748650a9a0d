import Crypto
import HexadecimalDigits

/// The senders whose chunks are stored together: the tokens of one app, or the tokens that are not
/// bound to an app.
///
/// Senders do not share chunks, so that no token can learn or use what another app sent.
public struct ChunkSender: Hashable, Sendable {
    /// The name of its folder, which is different for each sender.
    let folderName: String

    /// - Parameter app: The app of the token, or `nil` if it is for all apps.
    public init(app: String?) {
        folderName = app.map { SHA256.hash(data: Array($0.utf8)).hexadecimal } ?? "all"
    }

    /// Returns `nil` if no sender has a folder of this name.
    init?(folderName: String) {
        guard folderName == "all" || BlobFolder.isName(folderName) else { return nil }
        self.folderName = folderName
    }
}
