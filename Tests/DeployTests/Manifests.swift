import Testing

/// Checks Kubernetes manifests, by themselves and together.
struct Manifests {
    private let all: [[String: Any]]

    init(_ manifests: [[String: Any]]) { all = manifests }

    func expectValid() throws {
        for manifest in all {
            let kind = "\(manifest["apiVersion"] ?? "") \(manifest["kind"] ?? "")"
            let shape = try #require(KubernetesShapes.manifests[kind], "\(kind)")
            #expect(shape.problems(in: manifest) == [], "\(kind)")
        }
        try expectConsistent()
    }

    private func manifest(_ kind: String) throws -> [String: Any] {
        try #require(all.first { $0["kind"] as? String == kind }, "\(kind)")
    }

    private func text(_ path: String, in value: Any) -> String {
        "\(DeployFiles.value(path, in: value) ?? "")"
    }

    private func labels(_ path: String, in value: Any) throws -> [String: String] {
        try #require(DeployFiles.value(path, in: value) as? [String: String], "\(path)")
    }

    private func expectConsistent() throws {
        let deployment = try manifest("Deployment")
        let labels = try labels("spec/template/metadata/labels", in: deployment)
        for (kind, path) in [
            ("Deployment", "spec/selector/matchLabels"), ("Service", "spec/selector"),
            ("PodDisruptionBudget", "spec/selector/matchLabels"),
            ("PodMonitor", "spec/selector/matchLabels"),
        ] {
            let selected = try self.labels(path, in: try manifest(kind))
            #expect(!selected.isEmpty && selected.allSatisfy { labels[$0] == $1 }, "\(kind)")
        }
        let scaler = try manifest("HorizontalPodAutoscaler")
        #expect(
            text("spec/scaleTargetRef/name", in: scaler) == text("metadata/name", in: deployment))
        // Whatever scrapes the pods without a token is refused.
        #expect(
            text("spec/template/metadata/annotations", in: deployment).contains("scrape") == false)
        try expectPod(DeployFiles.value("spec/template/spec", in: deployment))
        try expectMonitor(of: try #require(DeployFiles.value("spec/template/spec", in: deployment)))
    }

    /// Checks that the metrics are scraped from a port of the pod, with a token of the configuration
    /// that may read.
    private func expectMonitor(of pod: Any) throws {
        let monitor = try manifest("PodMonitor")
        let endpoint = try #require(DeployFiles.value("spec/podMetricsEndpoints/0", in: monitor))
        let ports = DeployFiles.value("containers/0/ports", in: pod) as? [[String: Any]] ?? []
        #expect(ports.contains { text("name", in: $0) == text("port", in: endpoint) })
        let labels = try labels("spec/template/metadata/labels", in: try manifest("Deployment"))
        #expect(labels[text("spec/jobLabel", in: monitor)] == "symbolist")
        let volumes = DeployFiles.value("volumes", in: pod) as? [[String: Any]] ?? []
        let secrets = volumes.map { text("secret/secretName", in: $0) }
        #expect(secrets.contains(text("authorization/credentials/name", in: endpoint)))
        let map = DeployFiles.value("data", in: try manifest("ConfigMap")) as? [String: String]
        let settings = try DeployFiles.documents(try #require(map?["symbolist.yaml"])).first
        let tokens = DeployFiles.value("auth/tokens", in: settings) as? [[String: Any]] ?? []
        let file = "/run/secrets/symbolist/\(text("authorization/credentials/key", in: endpoint))"
        let token = try #require(tokens.first { $0["token_file"] as? String == file })
        #expect(token["scopes"] as? [String] == ["read"])
    }

    private func expectPod(_ found: Any?) throws {
        let pod = try #require(found as? [String: Any])
        let grace = try #require(pod["terminationGracePeriodSeconds"] as? Int)
        #expect(grace == 60)
        let container = try #require(DeployFiles.value("containers/0", in: pod))
        let ports = DeployFiles.value("ports", in: container) as? [[String: Any]] ?? []
        #expect(ports.compactMap { $0["containerPort"] as? Int } == [4318, 4317])
        let names = Set(ports.compactMap { $0["name"] as? String })
        let service = DeployFiles.value("spec/ports", in: try manifest("Service"))
        for port in service as? [[String: Any]] ?? [] {
            #expect(names.contains(text("targetPort", in: port)))
        }
        for (probe, path) in [
            ("livenessProbe", "/healthz"), ("readinessProbe", "/readyz"),
            ("startupProbe", "/healthz"),
        ] {
            #expect(text("\(probe)/httpGet/path", in: container) == path)
            #expect(names.contains(text("\(probe)/httpGet/port", in: container)), "\(probe)")
        }
        let volumes = (pod["volumes"] as? [[String: Any]] ?? []).compactMap {
            $0["name"] as? String
        }
        let mounts = DeployFiles.value("volumeMounts", in: container) as? [[String: Any]] ?? []
        #expect(Set(mounts.compactMap { $0["name"] as? String }) == Set(volumes))
        #expect(mounts.contains { $0["mountPath"] as? String == "/var/lib/symbolist" })
        let map = try manifest("ConfigMap")
        let maps = (pod["volumes"] as? [[String: Any]] ?? []).map {
            text("configMap/name", in: $0)
        }
        #expect(maps.contains(text("metadata/name", in: map)))
    }
}
