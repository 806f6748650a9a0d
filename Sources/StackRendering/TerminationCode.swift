/// A code for the reason why the system ended a process. These are the ones that Apple documents
/// ("EXC_CRASH (SIGKILL)").
enum TerminationCode: UInt64, CaseIterable {
    case watchdog = 0x8bad_f00d
    case lockWhileSuspended = 0xdead_10cc
    case thermal = 0xc000_10ff
    case unreportedCall = 0xbaad_ca11
    case resumedTooOften = 0xbad2_2222
    case diskSpace = 0xbadd_d15c
    case lateBackgroundTask = 0x2182_bad2
    case lateSession = 0x2182_bad3
    case lateFetch = 0x2182_bad4

    /// Finds the first known code in a termination reason or list of codes, hexadecimal or decimal.
    init?(in reason: String) {
        let words = reason.split { !$0.isLetter && !$0.isNumber }
        let codes = words.lazy.compactMap { word -> Self? in
            let isHexadecimal = word.lowercased().hasPrefix("0x")
            let number =
                isHexadecimal ? UInt64(word.dropFirst(2), radix: 16) : UInt64(word, radix: 10)
            return number.flatMap(Self.init(rawValue:))
        }
        guard let code = codes.first else { return nil }
        self = code
    }

    var words: String {
        switch self {
        case .watchdog: "the watchdog ended it: it took too long to launch, respond or quit"
        case .lockWhileSuspended: "it held a file lock or database lock while suspended"
        case .thermal: "the device was too hot"
        case .unreportedCall: "it did not report a call to CallKit after a push"
        case .resumedTooOften: "a VoIP app was resumed too often"
        case .diskSpace: "the system needed its disk space"
        case .lateBackgroundTask: "a background task ended too late"
        case .lateSession: "work for a URL session ended too late"
        case .lateFetch: "a background fetch ended too late"
        }
    }
}
