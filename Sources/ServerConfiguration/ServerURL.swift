import Foundation

/// The address of a server that something is sent to.
enum ServerURL {
    static func complaint(about text: String) -> String? {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty,
            (url.port ?? 1) > 0, (url.port ?? 1) < 65_536
        else { return "is no address of a server: write for instance http://collector:4318" }
        // It would be shown wherever the address is: in logs, metrics and errors.
        if url.user != nil || url.password != nil {
            return "holds a name or password: put it into the headers"
        }
        return nil
    }
}
