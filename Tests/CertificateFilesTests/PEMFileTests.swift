import CertificateFiles
import Problems
import TestSupport
import Testing

@Suite("PEM files")
struct PEMFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func file(_ setting: String, _ text: String) throws -> PEMFile {
        PEMFile(setting, path: try folder.write(text, to: setting))
    }

    private func problem(certificate: String, key: String) throws -> Problem {
        let certificate = try file("tls.certificate", certificate)
        let key = try file("tls.key", key)
        return try #require(throws: Problem.self) {
            try KeyPair(certificate: certificate, key: key)
        }
    }

    @Test("a certificate and its key may be in one file")
    func oneFile() throws {
        let both = try file("both", TestCertificates.client + "\n" + TestCertificates.clientKey)
        #expect(try KeyPair(certificate: both, key: both).chain.count == 1)
    }

    @Test("the key of another certificate is refused")
    func otherKey() throws {
        let problem = try problem(
            certificate: TestCertificates.client, key: TestCertificates.serverKey)
        #expect(
            problem.description
                == "tls.key: '\(folder.path)/tls.key' is not the key of "
                + "'\(folder.path)/tls.certificate': use the key that belongs to the certificate")
    }

    @Test(
        "an encrypted key is refused with the command that decrypts it",
        arguments: [EncryptedKeys.pkcs8, EncryptedKeys.traditional])
    func encrypted(key: String) throws {
        let problem = try problem(certificate: TestCertificates.client, key: key)
        #expect(
            problem.description
                == "tls.key: '\(folder.path)/tls.key' is encrypted with a password: decrypt it "
                + "with 'openssl pkey -in \(folder.path)/tls.key -out NEW.key'")
    }

    @Test("a file without the expected content, and one that cannot be read, is refused")
    func unusable() throws {
        let noCertificate = try problem(certificate: "hello", key: TestCertificates.clientKey)
        #expect(noCertificate.detail.hasSuffix("contains no certificate"))
        let noKey = try problem(certificate: TestCertificates.client, key: "hello")
        #expect(noKey.detail.hasSuffix("contains no private key"))
        let missing = PEMFile("tls.client_ca", path: folder.path + "/missing.pem")
        let problem = try #require(throws: Problem.self) { try missing.certificates() }
        #expect(problem.detail.hasSuffix("cannot be read (no such file or directory)"))
    }
}

/// Keys encrypted with the password `test`, made with `openssl genpkey` and `openssl pkcs8`, and
/// with `openssl ec`.
private enum EncryptedKeys {
    static let pkcs8 = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiiNEj7vtMkrgICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEICyZsk/QP6cwjD1oKpj46QEgZBK
        we90Gr8YWWuENK5FHn4QtiE0tVEykE5uvIBeO4HIs/OzKh2fFN9vV5CnOMlXxlsF
        0mZiDEGJs7fPHMY/6nzy2l/q/oUcb/81owTyzeulotMeZK9Zxulambkk4Wnk1AWH
        OxUZDlhKuzHYb3pcoJV7MCjTbii/J31Bia96sNfy6Pvu3ap5QUDuaPnspK3GYrw=
        -----END ENCRYPTED PRIVATE KEY-----
        """
    static let traditional = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,6DDDC678E3419BDBD96ED1D582F94585

        4Vf606Gr6gHNIOYtA3WWeBChBriaj8TMiGqdNoJ/2LuLMH6Xo56+yjUHreiuZx1G
        CarGqy6257ZUnuKE4cdkoX8Uc+V0qsc7mXRtqSMYtbXDiKu4v4W2Fyq2Rs9kKLMJ
        ATnsLRDLN6jMKP1nlJjLb8mD7I+1v0WLVxGpUCvmlYI=
        -----END EC PRIVATE KEY-----
        """
}
