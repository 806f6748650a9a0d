import Glibc
public import Problems

/// The permissions of files for the user that the process runs as.
public enum FileAccess {
    /// Whether a system call failed because of permissions.
    public static func isDenied(_ number: Int32) -> Bool { number == EACCES || number == EPERM }

    /// Returns the problem of a file that the process may not use, with the user who needs access.
    public static func problem(_ path: String) -> Problem {
        let id = geteuid()
        let name = unsafe getpwuid(id).map { unsafe " ('\(String(cString: $0.pointee.pw_name))')" }
        return Problem(
            path, detail: "permission denied for user \(id)\(name ?? "")",
            suggestion: "give this user access to it and its folder, as with 'chown \(id)'")
    }

    /// Returns the problem of the first of some files that exists and may not be read and written,
    /// or `nil` if there is none.
    public static func problem(among paths: [String]) -> Problem? {
        let denied = paths.first { path in
            unsafe faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) != 0 && isDenied(errno)
        }
        return denied.map(problem)
    }
}
