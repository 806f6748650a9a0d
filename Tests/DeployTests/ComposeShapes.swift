/// The parts of the compose specification that the compose file uses.
enum ComposeShapes {
    static let file = Shape.object(
        [
            "name": .text, "x-node": service, "services": .map(service),
            "configs": .map(.object(["file": .text], required: ["file"])),
            "secrets": .map(.object(["file": .text], required: ["file"])),
            "volumes": .map(.either(.empty, .object([:]))),
        ], required: ["services"])

    private static let service = Shape.object(
        [
            "image": .text, "command": .list(.text), "entrypoint": .list(.text),
            "hostname": .text, "init": .boolean, "read_only": .boolean, "tmpfs": .list(.text),
            "restart": .choice(["no", "always", "on-failure", "unless-stopped"]),
            "stop_grace_period": .text, "ports": .list(.text), "environment": .map(.text),
            "volumes": .list(.text), "secrets": .list(.text),
            "configs": .list(
                .object(["source": .text, "target": .text], required: ["source", "target"])),
            "depends_on": .either(
                .list(.text),
                .map(
                    .object(
                        [
                            "condition": .choice([
                                "service_started", "service_healthy",
                                "service_completed_successfully",
                            ])
                        ], required: ["condition"]))),
            "healthcheck": .object(
                [
                    "test": .list(.text), "interval": .text, "timeout": .text,
                    "retries": .number,
                ], required: ["test"]),
        ], required: ["image"])
}
