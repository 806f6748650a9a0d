/// The parts of the Kubernetes API that the manifests use.
enum KubernetesShapes {
    /// The shapes of manifests by `apiVersion kind`.
    static let manifests: [String: Shape] = [
        "apps/v1 Deployment": manifest(spec: deployment),
        "v1 Service": manifest(spec: service),
        "policy/v1 PodDisruptionBudget": manifest(
            spec: .object(
                ["maxUnavailable": .quantity, "minAvailable": .quantity, "selector": selector],
                required: ["selector"])),
        "autoscaling/v2 HorizontalPodAutoscaler": manifest(spec: autoscaler),
        "monitoring.coreos.com/v1 PodMonitor": manifest(spec: podMonitor),
        "v1 ConfigMap": .object(
            ["apiVersion": .text, "kind": .text, "metadata": metadata, "data": .map(.text)],
            required: ["data"]),
        "v1 ServiceAccount": .object(
            ["apiVersion": .text, "kind": .text, "metadata": metadata], required: ["metadata"]),
    ]

    private static func manifest(spec: Shape) -> Shape {
        .object(
            ["apiVersion": .text, "kind": .text, "metadata": metadata, "spec": spec],
            required: ["metadata", "spec"])
    }

    private static let metadata = Shape.object(
        ["name": .text, "labels": .map(.text), "annotations": .map(.text)])
    private static let selector = Shape.object(
        ["matchLabels": .map(.text)], required: ["matchLabels"])

    private static let deployment = Shape.object(
        [
            "replicas": .number, "selector": selector,
            "strategy": .only([
                "type": .choice(["RollingUpdate", "Recreate"]),
                "rollingUpdate": .only(["maxUnavailable": .quantity, "maxSurge": .quantity]),
            ]),
            "template": .object(["metadata": metadata, "spec": pod], required: ["spec"]),
        ], required: ["selector", "template"])

    private static let pod = Shape.object(
        [
            "terminationGracePeriodSeconds": .number, "serviceAccountName": .text,
            "imagePullSecrets": .list(.object(["name": .text], required: ["name"])),
            "automountServiceAccountToken": .boolean, "enableServiceLinks": .boolean,
            "securityContext": .only([
                "runAsNonRoot": .boolean, "fsGroup": .number,
                "seccompProfile": .only(["type": .choice(["RuntimeDefault"])]),
            ]),
            "topologySpreadConstraints": .list(
                .object(
                    [
                        "maxSkew": .number, "topologyKey": .text, "labelSelector": selector,
                        "whenUnsatisfiable": .choice(["ScheduleAnyway", "DoNotSchedule"]),
                    ], required: ["maxSkew", "topologyKey", "whenUnsatisfiable"])),
            "containers": .list(container), "volumes": .list(volume),
        ], required: ["containers"])

    private static let container = Shape.object(
        [
            "name": .text, "image": .text, "args": .list(.text),
            "imagePullPolicy": .choice(["Always", "IfNotPresent", "Never"]),
            "env": .list(
                .object(
                    [
                        "name": .text, "value": .text,
                        "valueFrom": .only(["fieldRef": .only(["fieldPath": .text])]),
                    ], required: ["name"])),
            "ports": .list(
                .object(["name": .text, "containerPort": .number], required: ["containerPort"])),
            "startupProbe": probe, "livenessProbe": probe, "readinessProbe": probe,
            "lifecycle": .only(["preStop": .only(["exec": .only(["command": .list(.text)])])]),
            "resources": .only(["requests": .map(.quantity), "limits": .map(.quantity)]),
            "securityContext": .only([
                "allowPrivilegeEscalation": .boolean, "readOnlyRootFilesystem": .boolean,
                "capabilities": .only(["drop": .list(.text)]),
            ]),
            "volumeMounts": .list(
                .object(
                    ["name": .text, "mountPath": .text, "readOnly": .boolean],
                    required: ["name", "mountPath"])),
        ], required: ["name", "image"])

    private static let probe = Shape.object(
        [
            "httpGet": .object(
                ["path": .text, "port": .quantity, "scheme": .choice(["HTTP", "HTTPS"])],
                required: ["path", "port"]),
            "periodSeconds": .number, "failureThreshold": .number,
        ], required: ["httpGet"])

    private static let volume = Shape.object(
        [
            "name": .text, "emptyDir": .only(["sizeLimit": .quantity]),
            "configMap": .only(["name": .text]),
            "secret": .only(["secretName": .text, "defaultMode": .number]),
        ], required: ["name"])

    private static let service = Shape.object(
        [
            "type": .choice(["ClusterIP", "LoadBalancer", "NodePort"]), "selector": .map(.text),
            "ports": .list(
                .object(
                    [
                        "name": .text, "port": .number, "targetPort": .quantity,
                        "appProtocol": .text,
                    ], required: ["port"])),
        ], required: ["ports"])

    private static let autoscaler = Shape.object(
        [
            "scaleTargetRef": .object(
                ["apiVersion": .text, "kind": .text, "name": .text], required: ["kind", "name"]),
            "minReplicas": .number, "maxReplicas": .number,
            "metrics": .list(
                .object(
                    [
                        "type": .choice(["Resource", "Pods"]),
                        "resource": .object(
                            ["name": .text, "target": target], required: ["name", "target"]),
                        "pods": .object(
                            ["metric": .only(["name": .text]), "target": target],
                            required: ["metric", "target"]),
                    ], required: ["type"])),
            "behavior": .only([
                "scaleDown": .only([
                    "stabilizationWindowSeconds": .number,
                    "policies": .list(
                        .only([
                            "type": .choice(["Pods", "Percent"]), "value": .number,
                            "periodSeconds": .number,
                        ])),
                ])
            ]),
        ], required: ["scaleTargetRef", "maxReplicas"])

    private static let podMonitor = Shape.object(
        [
            "jobLabel": .text, "selector": selector,
            "podMetricsEndpoints": .list(
                .object(
                    [
                        "port": .text, "path": .text, "scheme": .choice(["http", "https"]),
                        "tlsConfig": .only(["insecureSkipVerify": .boolean]),
                        "authorization": .only([
                            "credentials": .object(
                                ["name": .text, "key": .text], required: ["key"])
                        ]),
                    ], required: ["port"])),
        ], required: ["selector", "podMetricsEndpoints"])

    private static let target = Shape.object(
        [
            "type": .choice(["Utilization", "AverageValue"]), "averageUtilization": .number,
            "averageValue": .quantity,
        ], required: ["type"])
}
