import Foundation
import Glibc

/// The resident memory of this process.
enum ResidentMemory {
    /// The resident pages of mapped files, in bytes; 0 if the system does not report them.
    static var ofFiles: Int64 {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let fields = text.split(separator: " ")
        guard fields.count > 2, let pages = Int64(fields[2]) else { return 0 }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
