import Foundation
import Glibc

/// What of this process is in memory now.
enum ResidentMemory {
    /// Pages of mapped files, in bytes. 0 where the system does not say.
    static var ofFiles: Int64 {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let fields = text.split(separator: " ")
        guard fields.count > 2, let pages = Int64(fields[2]) else { return 0 }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
