"""backend.py PORT FILE: an OTLP/HTTP backend that writes each received log record as a line of JSON."""

import gzip
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import wire

port, path = int(sys.argv[1]), sys.argv[2]
writing = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        if self.path == "/v1/logs":
            lines = [json.dumps(record) + "\n" for record in wire.log_records(body)]
            with writing, open(path, "a", encoding="utf-8") as file:
                file.writelines(lines)
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    # Connections may still be open at the end.
    daemon_threads = True


Server(("127.0.0.1", port), Handler).serve_forever()
