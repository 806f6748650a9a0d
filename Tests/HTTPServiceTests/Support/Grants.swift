import Crypto
import Foundation

@testable import HTTPService

extension Tokens.Grant {
    init(token: String, scopes: Set<TokenScope>, app: String?) {
        self.init(
            sha256: Array(SHA256.hash(data: Data(token.utf8))), scopes: scopes, app: app,
            name: "unnamed")
    }
}
