"""An imitation of a server for sentry-cli that gives scripted replies.

    sentry.py SCRIPT

SCRIPT is JSON: the replies in order to requests for `options`, to `chunks` and to `assemble`; the last reply of each
list repeats. A reply is `{"state": …, "detail": …, "chunks": whether chunks are missing, "dif": whether it describes
the file}`, where the state may be `absent`, or `{"status": …, "body": …, "type": …}`. Prints the port, then a line
for each request.
"""

import http.server
import json
import sys

script = json.loads(sys.argv[1])


def following(name):
    replies = script.get(name, [])
    return replies.pop(0) if len(replies) > 1 else next(iter(replies), None)


def options():
    return {
        "url": "/api/0/organizations/acme/chunk-upload/", "chunkSize": 1 << 20,
        "chunksPerRequest": 64, "maxRequestSize": 1 << 25, "maxFileSize": 1 << 30,
        "maxWait": 300, "concurrency": 1, "hashAlgorithm": "sha1",
        "compression": ["gzip"], "accept": ["debug_files"],
    }


def state(reply, checksum, file):
    result = {
        "state": reply["state"],
        "missingChunks": file["chunks"] if reply.get("chunks") else [],
    }
    if "detail" in reply:
        result["detail"] = reply["detail"]
    if reply.get("dif"):
        result["dif"] = {
            "debugId": file["debug_id"], "objectName": file["name"], "cpuName": "x86_64",
            "sha1": checksum, "data": {"type": "dbg", "features": ["debug"]},
        }
    return result


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.reply("options", following("options"), options())

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.endswith("/chunk-upload/"):
            return self.reply("chunks", following("chunks"), {})
        reply = following("assemble")
        files = {}
        if "state" in reply and reply["state"] != "absent":
            files = {
                checksum: state(reply, checksum, file)
                for checksum, file in json.loads(body).items()
            }
        self.reply("assemble", reply if "status" in reply else None, files)

    def reply(self, name, scripted, body):
        scripted = scripted or {}
        status = scripted.get("status", 200)
        print(name, status, flush=True)
        body = scripted.get("body", body)
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", scripted.get("type", "application/json"))
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
