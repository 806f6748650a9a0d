import Foundation
import TestSupport
import Testing

extension ServiceProcessTests.UploadScriptTests {
    /// A server that is busy, then closes the connection, and then refuses the request.
    static let unsteady = """
        import http.server
        class Handler(http.server.BaseHTTPRequestHandler):
            count = 0
            def do_POST(self):
                Handler.count += 1
                self.rfile.read(int(self.headers.get('content-length', 0)))
                if Handler.count == 2: return self.connection.close()
                self.send_response(503 if Handler.count == 1 else 413)
                if Handler.count == 1: self.send_header('Retry-After', '2')
                body = b'{"error":{"code":"x","message":"body: too large: send less"}}'
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)
        server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    /// A server that accepts every upload and lacks every image.
    static let slow = """
        import http.server
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get('content-length', 0)))
                if self.headers.get('transfer-encoding') == 'chunked':
                    while size := int(self.rfile.readline(), 16): self.rfile.read(size + 2)
                    self.rfile.readline()
                body = body.replace(b'"uuids"', b'"missing"') or b'{"files":[]}'
                self.send_response(200)
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)
        server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    /// A server that responds to every request with the status in its path.
    static let refusing = """
        import http.server
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get('content-length', 0)))
                self.send_response(int(self.path.split('/')[1]))
                self.send_header('Retry-After', '0')
                self.send_header('Content-Length', '0')
                self.end_headers()
        server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    /// Starts a server written in Python, which prints its port.
    static func startServer(
        _ source: String, in folder: TestFolder
    ) async throws -> (server: Served, port: Int) {
        let server = try Served(
            ["/usr/bin/python3", "-c", source], environment: [:],
            log: folder.url.appendingPathComponent("server.log"))
        let log = { try String(contentsOf: server.log, encoding: .utf8) }
        #expect(await eventually { (try? log())?.contains("\n") == true })
        return (server, try #require(Int(try log().split(separator: "\n").first ?? "")))
    }
}
