import Foundation
import TestSupport
import Testing
import Yams

@testable import ServerConfiguration
@testable import symbolist

@Suite("Files for deployments")
struct DeployTests {
    @Test("the container's build gets every file that sources embed")
    func embeddedFiles() throws {
        let recipe = try String(
            contentsOf: projectFolder.appendingPathComponent("Dockerfile"), encoding: .utf8)
        let ignored = try String(
            contentsOf: projectFolder.appendingPathComponent(".dockerignore"), encoding: .utf8)
        let source = "Sources/CUploadScript/UploadScript.c"
        let text = try String(
            contentsOf: projectFolder.appendingPathComponent(source), encoding: .utf8)
        let embedded = text.matches(of: /#embed "..\/..\/(.+)"/).map { String($0.1) }
        #expect(embedded == ["Scripts/upload-symbols"])
        for file in embedded {
            #expect(recipe.contains("COPY \(file) "))
            #expect(ignored.split(separator: "\n").contains("!\(file)"))
        }
    }

    @Test("the Kubernetes manifests are valid and fit together")
    func manifests() throws {
        let list = try DeployFiles.document("kubernetes/kustomization.yaml")
        let names = try #require(list["resources"] as? [String])
        let stored = DeployFiles.paths.filter { $0.hasPrefix("kubernetes/") }
        // Only clusters with the Prometheus operator know pod monitors.
        let all = names + ["pod-monitor.yaml"]
        #expect(!names.contains("pod-monitor.yaml"))
        #expect(
            Set(all.map { "kubernetes/\($0)" } + ["kubernetes/kustomization.yaml"])
                == Set(stored))
        try Manifests(
            try all.flatMap { try DeployFiles.documents(DeployFiles.text("kubernetes/\($0)")) }
        ).expectValid()
    }

    @Test(
        "the chart renders to valid manifests with and without its options",
        arguments: [true, false], [true, false])
    func chart(scalesByQueue: Bool, isAnnotated: Bool) throws {
        let chart = try DeployFiles.document("helm/symbolist/Chart.yaml")
        for key in ["apiVersion", "name", "version"] { #expect(chart[key] is String, "\(key)") }
        var values = try DeployFiles.document("helm/symbolist/values.yaml")
        var scaling = try #require(values["autoscaling"] as? [String: Any])
        scaling["queueAge"] = ["enabled": scalesByQueue, "seconds": 30]
        values["autoscaling"] = scaling
        var monitor = try #require(values["podMonitor"] as? [String: Any])
        monitor["enabled"] = true
        values["podMonitor"] = monitor
        if isAnnotated { values["serviceAccount"] = ["annotations": ["role": "symbolist"]] }
        let renderer = ChartRenderer(values: values, release: "crashes")
        let templates = DeployFiles.paths.filter { $0.hasPrefix("helm/symbolist/templates/") }
        #expect(templates.count == 7)
        try Manifests(
            try templates.flatMap {
                try DeployFiles.documents(renderer.render(DeployFiles.text($0)))
            }
        ).expectValid()
    }

    @Test("without autoscaling and a monitor, the chart sets the number of nodes and has neither")
    func fixedSize() throws {
        var values = try DeployFiles.document("helm/symbolist/values.yaml")
        values["autoscaling"] = ["enabled": false]
        let renderer = ChartRenderer(values: values, release: "crashes")
        let rendered = try renderer.render(
            DeployFiles.text("helm/symbolist/templates/deployment.yaml"))
        let deployment = try #require(try DeployFiles.documents(rendered).first)
        #expect(DeployFiles.value("spec/replicas", in: deployment) as? Int == 3)
        for name in ["autoscaler", "pod-monitor"] {
            let other = try renderer.render(
                DeployFiles.text("helm/symbolist/templates/\(name).yaml"))
            #expect(other.trimmingCharacters(in: .whitespacesAndNewlines) == "", "\(name)")
        }
    }

    @Test("with TLS, the chart mounts the certificate, and the probes use HTTPS")
    func encrypted() throws {
        var values = try DeployFiles.document("helm/symbolist/values.yaml")
        values["tls"] = ["enabled": true, "secretName": "certificate"]
        var monitor = try #require(values["podMonitor"] as? [String: Any])
        monitor["enabled"] = true
        values["podMonitor"] = monitor
        values["image"] = [
            "repository": "registry.example.com/symbolist", "tag": "", "pullPolicy": "Always",
            "pullSecrets": [["name": "registry"]],
        ]
        let renderer = ChartRenderer(values: values, release: "crashes", version: "1.2.3")
        let templates = DeployFiles.paths.filter { $0.hasPrefix("helm/symbolist/templates/") }
        let documents = try templates.flatMap {
            try DeployFiles.documents(renderer.render(DeployFiles.text($0)))
        }
        try Manifests(documents).expectValid()
        let deployment = try #require(documents.first { $0["kind"] as? String == "Deployment" })
        let pod = try #require(DeployFiles.value("spec/template/spec", in: deployment))
        let container = try #require(DeployFiles.value("containers/0", in: pod))
        #expect(
            DeployFiles.value("image", in: container) as? String
                == "registry.example.com/symbolist:1.2.3")
        #expect(DeployFiles.value("imagePullSecrets/0/name", in: pod) as? String == "registry")
        for probe in ["startupProbe", "livenessProbe", "readinessProbe"] {
            let scheme = DeployFiles.value("\(probe)/httpGet/scheme", in: container)
            #expect(scheme as? String == "HTTPS", "\(probe)")
        }
        let volumes = DeployFiles.value("volumes", in: pod) as? [[String: Any]] ?? []
        let secrets = volumes.map { DeployFiles.value("secret/secretName", in: $0) as? String }
        #expect(secrets.contains("certificate"))
    }

    @Test("the version of the image is that of the program, in one place for each kind of files")
    func version() throws {
        let chart = try DeployFiles.document("helm/symbolist/Chart.yaml")
        #expect(chart["appVersion"] as? String == Symbolist.release)
        let list = try DeployFiles.document("kubernetes/kustomization.yaml")
        #expect(DeployFiles.value("images/0/newTag", in: list) as? String == Symbolist.release)
        for path in DeployFiles.paths where !path.hasSuffix("Chart.yaml") {
            let count = try DeployFiles.text(path).matches(of: /symbolist:[0-9]/).count
            #expect(count == 0, "\(path)")
        }
    }

    @Test("the manifests leave the number of nodes to the autoscaler")
    func scaledSize() throws {
        let deployment = try DeployFiles.document("kubernetes/deployment.yaml")
        #expect(DeployFiles.value("spec/replicas", in: deployment) == nil)
    }

    @Test("shapes find unknown keys, wrong types and missing keys")
    func shapes() throws {
        var deployment = try DeployFiles.document("kubernetes/deployment.yaml")
        deployment["sepc"] = deployment.removeValue(forKey: "spec")
        let shape = try #require(KubernetesShapes.manifests["apps/v1 Deployment"])
        #expect(
            shape.problems(in: deployment).sorted() == ["/sepc: is unknown", "/spec: is missing"])
        #expect(Shape.list(.number).problems(in: ["1"]) == ["/0: is not number"])
    }

    @Test("the compose file has three nodes, and everything that it names")
    func compose() throws {
        let file = try DeployFiles.document("compose/compose.yaml")
        #expect(ComposeShapes.file.problems(in: file) == [])
        let services = try #require(file["services"] as? [String: [String: Any]])
        #expect(services.values.filter { $0["image"] as? String == "symbolist" }.count == 3)
        for (name, service) in services {
            let needed = service["depends_on"]
            let others =
                (needed as? [String]) ?? (needed as? [String: Any]).map { Array($0.keys) } ?? []
            for other in others { #expect(services[other] != nil, "\(name): \(other)") }
            for (kind, key) in [("configs", "source"), ("secrets", "")] {
                let known = try #require(file[kind] as? [String: Any])
                for used in service[kind] as? [Any] ?? [] {
                    let used = used as? String ?? (used as? [String: String])?[key] ?? ""
                    #expect(known[used] != nil, "\(name): \(kind): \(used)")
                }
            }
        }
        for entry in (file["configs"] as? [String: [String: String]] ?? [:]).values {
            let path = URL(
                filePath: entry["file"] ?? "",
                relativeTo: DeployFiles.folder
                    .appendingPathComponent("compose/"))
            #expect(FileManager.default.fileExists(atPath: path.path), "\(entry)")
        }
    }
}
