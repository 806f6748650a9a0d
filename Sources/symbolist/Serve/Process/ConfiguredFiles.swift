import CertificateFiles
import ClientLibraries
import HTTPService
import ObjectStorage
import Problems
import ServerConfiguration

/// The files with certificates, keys and passwords that the settings name.
///
/// They are checked before the service starts, so that an unusable one is reported as a problem of
/// the configuration, together with all others, and not by the part that reads it later.
struct ConfiguredFiles {
    let configuration: ServerConfiguration

    /// The problems of all files. The subject of each is the setting.
    var problems: [Problem] {
        certificateProblem + exporterProblems + streamProblems + clusterProblems + pageKeyProblem
    }

    private var certificateProblem: [Problem] {
        do throws(ListenError) { _ = try configuration.certificate } catch {
            return [error.problem]
        }
        return []
    }

    private var exporterProblems: [Problem] {
        configuration.exports.enumerated().flatMap { number, export -> [Problem] in
            let group = "export[\(number)]"
            return switch export.destination {
            case .otlpHTTP(let server), .otlpGRPC(let server):
                problems(server.tls, group: group)
            case .kafka(let kafka, _, _): problems(kafka, group: group)
            case .file, .standardOutput: []
            }
        }
    }

    private var streamProblems: [Problem] {
        configuration.stream.map { problems($0.kafka, group: "receive.kafka") } ?? []
    }

    private func problems(_ kafka: KafkaConfiguration, group: String) -> [Problem] {
        problems(kafka.tls, group: group)
            + passwordProblem("\(group).sasl.password_file", path: kafka.passwordFile)
    }

    private func problems(
        _ tls: ExporterConfiguration.ClientTLS, group: String
    ) -> [Problem] {
        var problems: [Problem] = []
        do throws(Problem) {
            if let path = tls.authorities {
                _ = try PEMFile("\(group).tls.ca", path: path).certificates()
            }
        } catch { problems.append(error) }
        do throws(Problem) {
            if let certificate = tls.certificate, let key = tls.key {
                _ = try KeyPair(
                    certificate: PEMFile("\(group).tls.certificate", path: certificate),
                    key: PEMFile("\(group).tls.key", path: key))
            }
        } catch { problems.append(error) }
        return problems
    }

    private var clusterProblems: [Problem] {
        guard let cluster = configuration.cluster else { return [] }
        return passwordProblem(
            "database.password_file", path: cluster.database.passwordFile)
            + bucketKeyProblem(cluster.blobs)
    }

    private func passwordProblem(_ setting: String, path: String?) -> [Problem] {
        guard let path else { return [] }
        do throws(PasswordFileError) { _ = try PasswordFile(path: path).password() } catch {
            return [
                Problem(
                    setting, detail: "'\(path)' \(error.detail)",
                    suggestion: "check the path and its permissions")
            ]
        }
        return []
    }

    private func bucketKeyProblem(_ blobs: ClusterConfiguration.Blobs) -> [Problem] {
        let settings = CredentialSettings(
            accessKeyID: blobs.accessKeyID, secretFile: blobs.secretKeyFile, environment: [:])
        do throws(ObjectStorageError) { try settings.checkFile() } catch {
            return [error.problem.inside("blobs.secret_key_file")]
        }
        return []
    }

    private var pageKeyProblem: [Problem] {
        guard let path = configuration.pages?.keyFile else { return [] }
        do throws(PageKeyError) { _ = try PageKey(configuredFile: path) } catch {
            return [error.problem]
        }
        return []
    }
}
