import Crypto
import Foundation
import Problems

extension AccessControl {
    init(_ reader: SettingReader, problems: inout [SettingProblem]) {
        isAnonymous = reader.isOn("auth.anonymous")
        tokens = []
        for item in reader.items(of: "auth.tokens") {
            do throws(SettingProblem) {
                let token = try AccessToken(item)
                guard !tokens.contains(where: { $0.digest == token.digest }) else {
                    throw item.problem(
                        "", "is the same token as an earlier one", suggestion: "remove it")
                }
                tokens.append(token)
            } catch {
                problems.append(error)
            }
        }
    }
}

extension AccessToken {
    /// The maximum size of a token file, in bytes.
    private static let tokenBytesLimit = 4_096

    fileprivate init(_ item: SettingReader) throws(SettingProblem) {
        name = item.text("name")
        digest = try Self.digest(item)
        scopes = Set(item.texts("scopes").compactMap(Scope.init(rawValue:)))
        app = item.text("app")
        if scopes.isEmpty {
            throw item.problem("scopes", "is empty", suggestion: "use ingest, upload or read")
        }
    }

    private static func digest(_ item: SettingReader) throws(SettingProblem) -> [UInt8] {
        let ways = ["token", "token_file", "sha256"].filter { item.text($0) != nil }
        guard ways.count == 1 else {
            throw item.problem("", "needs exactly one of token, token_file and sha256")
        }
        if let digits = item.text("sha256") { return bytes(digits) }
        let written = item.text("token")
        let token = if let written { written } else { try token(item) }
        return Array(SHA256.hash(data: Data(token.utf8)))
    }

    /// Returns the content of the token file, without the final line break that editors add.
    private static func token(_ item: SettingReader) throws(SettingProblem) -> String {
        let file = item.text("token_file").flatMap { FileHandle(forReadingAtPath: $0) }
        guard let file, let bytes = try? file.read(upToCount: tokenBytesLimit + 1) ?? Data(),
            bytes.count <= tokenBytesLimit, let text = String(bytes: bytes, encoding: .utf8)
        else {
            throw item.problem(
                "token_file", "cannot be read", suggestion: "check the path and its permissions")
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if token.isEmpty {
            throw item.problem("token_file", "is empty", suggestion: "write the token into it")
        }
        return token
    }

    /// - Parameter digits: An even number of hexadecimal digits.
    private static func bytes(_ digits: String) -> [UInt8] {
        let values = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: values.count - 1, by: 2).map { index in
            UInt8(values[index] << 4 | values[index + 1])
        }
    }
}

extension SettingReader {
    func problem(
        _ name: String, _ detail: String, suggestion: String? = nil
    ) -> SettingProblem {
        SettingProblem(
            key: key(name), problem: Problem(location(name), detail: detail, suggestion: suggestion)
        )
    }
}
