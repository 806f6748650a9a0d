import Testing

/// A report in each format, with frames of the sample app, and private values in every field that
/// can have them.
struct PrivateReport: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var text: String

    /// Values that no output may contain.
    static let secrets = [
        "jane", "example.com", "8f2e11a7", "491701234567", "D0D0CAFE",
        "6F1B8A52-4B0E-4C57-9E4C-0B1F6C1B7D20",
    ]
    /// Values that no output may contain at the strict level.
    static let strictSecrets = ["orchid", "feedface", "summerhouse"]

    private static let container =
        "/private/var/mobile/Containers/Data/Application/6F1B8A52-4B0E-4C57-9E4C-0B1F6C1B7D20"
    private static let message =
        "orchid of jane.doe@example.com, 491701234567, key=8f2e11a7, /Users/jane/a"
    private static let key = "D0D0CAFE-0000-4000-8000-00000000CAFE"
    private static let id = "4c4c4481-5555-3144-a199-bfceae3fe729"
    private static let plainID = "4c4c448155553144a199bfceae3fe729"

    static let all = [
        ips, crash, spindump, sample, openTelemetry, appStoreConnect, ksCrash, swiftLog,
        swiftObject, android, bare, sentry, rust, go, glog, gdb, lldb, coreDump,
    ]

    static let ips = Self(
        testDescription: "ips",
        text: """
            {"app_name":"Orchard","bug_type":"309","os_version":"iOS 18.1","name":"Orchard","install_id":"\(key)"}
            {
              "procPath" : "\\/Users\\/jane\\/Orchard",
              "crashReporterKey" : "\(key)",
              "sleepWakeUUID" : "\(key)",
              "storeInfo" : {"deviceIdentifierForVendor":"\(key)","thirdParty":true},
              "exception" : {"type":"EXC_CRASH","signal":"SIGABRT"},
              "exceptionReason" : {"name":"Fell","composed_message":"\(message)","format_string":"%@ fell","arguments":["\(message)", 491701234567]},
              "asi" : {"libswiftCore.dylib":["Cart.swift:4: Fatal error: \(message)"]},
              "asiBacktraces" : ["0 Orchard 0x0000000104a30484 0x104a2c000 + 17540\\n1 Orchard 0x0000000104a3069c main + 28 (/Users/jane/a.swift:3)"],
              "vmSummary" : "orchid",
              "faultingThread" : 0,
              "threads" : [{"triggered":true,"threadState":{"x":[{"value":1,"symbol":"feedface"}]},"frames":[{"imageOffset":17540,"imageIndex":0},{"imageOffset":18076,"imageIndex":0}]}],
              "usedImages" : [{"base":4372742144,"size":65536,"uuid":"\(id)","name":"Orchard","arch":"arm64","path":"\(container)\\/Orchard.app\\/Orchard"}]
            }

            System Profile:
            Network Service: summerhouse, /Users/jane/a

            """)

    static let crash = Self(
        testDescription: "crash text",
        text: """
            CrashReporter Key:   \(key)
            Anonymous UUID:      \(key)
            Process:             Orchard [431]
            Path:                \(container)/Orchard.app/Orchard
            Hostname:            summerhouse

            Exception Type:  EXC_CRASH (SIGABRT)

            Application Specific Information:
            *** Terminating app due to uncaught exception 'Fell', reason: '\(message)'

            and \(message)

            Thread 0 Crashed:
            0   Orchard                       \t0x0000000104a30484 0x104a2c000 + 17540
            1   Orchard                       \t0x0000000104a3069c main + 28 (/Users/jane/a.swift:3)

            Thread 0 crashed with ARM Thread State (64-bit):
                x0: 0x00000000feedface   x1: 0x0000000000000000
               cpsr: 0x60001000

            Binary Images:
            0x104a2c000 - 0x104a3bfff Orchard arm64  <\(plainID)> /Users/jane/Orchard.app/Orchard

            System Profile:
            Network Service: summerhouse
            Bluetooth: Version orchid

            """)

    static let spindump = Self(
        testDescription: "spindump",
        text: """
            Date/Time:        2026-11-20 08:00:00.000 +0000
            Architecture:     arm64e
            Anonymous UUID:   \(key)
            Data Source:      Stackshots
            Command:          Orchard
            Path:             /Users/jane/Orchard
            PID:              431
            Event:            hang
            Host:             summerhouse

            Process:          jane's diary [430]
            Path:             /Users/jane/diary

              Thread 0x1b7293    1 samples (1-1)
              1  ??? (diary + 16) [0x104a30210] 1

            Process:          Orchard [431]
            Path:             /Users/jane/Orchard
            Note:             jane.doe@example.com, key=8f2e11a7, /Users/jane/a
            Architecture:     arm64

              Thread 0x1b7294    DispatchQueue "com.apple.main-thread"(1)    3 samples (1-3)
              3  ??? (Orchard + 18036) [0x104a30674] 1-3
                3  ??? (Orchard + 16912) [0x104a30210] 1-3

              Binary Images:
                       0x104a2c000 -        0x104a3bfff  Orchard <\(id)>  /Users/jane/Orchard

            """)

    static let sample = Self(
        testDescription: "sample",
        text: """
            Analysis of sampling Orchard (pid 431) every 1 millisecond
            Process:         Orchard [431]
            Path:            /Users/jane/Orchard
            Anonymous UUID:  \(key)
            Code Type:       ARM64
            ----

            Call graph:
                3 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)
                + 3 ???  (in Orchard)  load address 0x104a2c000 + 0x4674  [0x104a30674]
                +   3 ???  (in Orchard)  load address 0x104a2c000 + 0x4210  [0x104a30210]

            Binary Images:
                   0x104a2c000 -        0x104a3bfff  Orchard <\(id)>  /Users/jane/Orchard

            """)

    private static let tree = #"""
        {"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[{"binaryName":"Orchard","binaryUUID":"4C4C4481-5555-3144-A199-BFCEAE3FE729","offsetIntoBinaryTextSegment":17540,"address":4372759684}]}]}
        """#

    static let openTelemetry = Self(
        testDescription: "OpenTelemetry",
        text: """
            {"resourceLogs":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"summerhouse"}},{"key":"app.installation.id","value":{"stringValue":"\(key)"}}]},
            "scopeLogs":[{"logRecords":[{"body":{"stringValue":"\(message)"},"attributes":[{"key":"exception.message","value":{"stringValue":"\(message)"}},
            {"key":"process.command_args","value":{"arrayValue":{"values":[{"stringValue":"orchid"}]}}},
            {"key":"exception.stacktrace","value":{"stringValue":"\(tree.replacing("\"", with: "\\\""))"}}]}]}]}]}

            """)

    static let appStoreConnect = Self(
        testDescription: "App Store Connect",
        text: """
            {"productData":[{"signatureId":"1","diagnosticLogs":[{"diagnosticMetaData":{"event":"crash","platformArchitecture":"arm64",
            "exceptionReason":{"composedMessage":"\(message)","formatString":"%@ fell","arguments":["orchid"]},"deviceIdentifierForVendor":"\(key)"},
            "callStackTree":[\(tree)]}]}]}

            """)

    static let ksCrash = Self(
        testDescription: "KSCrash",
        text: """
            {"report":{"version":{"major":3}},"user":{"name":"orchid"},
            "binary_images":[{"image_addr":4372742144,"image_size":65536,"name":"\(container)/Orchard.app/Orchard","uuid":"\(id.uppercased())","cpu_type":16777228,"cpu_subtype":0}],
            "system":{"cpu_arch":"arm64","device_app_hash":"\(key)"},
            "crash":{"diagnosis":"\(message)","error":{"type":"nsexception","reason":"\(message)","nsexception":{"name":"Fell","reason":"\(message)"}},
            "threads":[{"crashed":true,"index":0,"registers":{"basic":{"x0":1,"x1":"feedface"}},"notable_addresses":{"x0":{"type":"string","value":"jane@example.com"}},
            "stack":{"contents":"8f2e11a7"},"backtrace":{"contents":[{"object_name":"Orchard","object_addr":4372742144,"instruction_addr":4372759684}]}}]}}

            """)

    static let swiftLog = Self(
        testDescription: "Swift text in a log",
        text: """
            press/main.swift:4: Fatal error: \(message)

            *** Signal 4: Backtracing from 0x401330... done ***

            *** Program crashed: Illegal instruction at 0x0000000000401330 ***

            Platform: x86_64 Linux

            Thread 0 "engine" crashed:

            0 0x0000000000401330 squeeze() + 4 in engine at /home/jane/press/main.swift:8:23
            1 [ra] 0x000000000040138d turn() + 9 in engine at /home/jane/press/main.swift:9

            Registers:

            rax 0x00000000feedface 4277009102
            rdx 0x0000000000000000 0

            Images (0 omitted):

            0x0000000000400000–0x0000000000405000 a5a4612391f31a9ef9dd5cc0692d9d875da92822 engine /home/jane/engine

            Backtrace took 0.01s

            """)

    static let swiftObject = Self(
        testDescription: "Swift JSON in a log of records",
        text: #"{"log":"press/main.swift:4: Fatal error: \#(message)\n"}"# + "\n"
            + #"{"log":"*** Signal 4: Backtracing from 0x401330... done ***\n"}"# + "\n"
            + #"{"log":"{ \"timestamp\": \"2026-10-01T07:30:00Z\", \"kind\": \"crashReport\", \"description\": \"Illegal instruction\", \"faultAddress\": \"0x0000000000401330\", \"platform\": \"Linux\", \"architecture\": \"x86_64\", \"threads\": [ { \"name\": \"engine\", \"crashed\": true, \"registers\": { \"rax\": \"0x00000000feedface\" }, \"frames\": [ { \"kind\": \"programCounter\", \"address\": \"0x0000000000401330\", \"symbol\": \"squeeze\", \"image\": \"engine\", \"sourceLocation\": { \"file\": \"/home/jane/press/main.swift\", \"line\": 8, \"column\": 23 } } ] } ], \"capturedMemory\": { \"0x00007f909486fe20\": \"8f2e11a7\" }, \"omittedImages\": 0, \"images\": [ { \"name\": \"engine\", \"buildId\": \"a5a4612391f31a9ef9dd5cc0692d9d875da92822\", \"path\": \"/home/jane/engine\", \"baseAddress\": \"0x0000000000400000\", \"endOfText\": \"0x0000000000405000\" } ], \"backtraceTime\": 0.1 }\n"}"#
            + "\n")

    static let android = Self(
        testDescription: "Android",
        text: """
            Build fingerprint: 'example/device:16/ABCD.000000.001/1:user/release-keys'
            ABI: 'x86_64'
            Cmdline: summerhouse
            pid: 431, tid: 431, name: main  >>> orchard <<<
            signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------
            Abort message: '\(message)'
                rax 00000000feedface  rbx 0000000000000000
            backtrace:
                  #00 pc 0000000000001330  /home/jane/engine (BuildId: a5a4612391f31a9ef9dd5cc0692d9d875da92822)

            memory near rax:
                00000000feedface orchid

            """)

    static let bare = Self(
        testDescription: "bare frames",
        text: """
            0   Orchard  0x0000000104a30484 \(id.uppercased()) + 17540
            1   Orchard  0x0000000104a3069c turn() + 28 (/Users/jane/a.swift:3)

            """)

    /// Credentials under keys, in pairs, and in text. All of them are the same value.
    private static let credentials = #"""
        "password":"8f2e11a7","auth_token":"8f2e11a7","headers":[["Authorization","Basic 8f2e11a7"],["Cookie","a=8f2e11a7"]],
        "cookies":{"id":"8f2e11a7"},"note":"{\"apiKey\":\"8f2e11a7\"} --token 8f2e11a7 amqp://app:8f2e11a7@queue/"
        """#

    static let sentry = Self(
        testDescription: "Sentry",
        text: """
            {"event_id":"4c4c4481","platform":"native","server_name":"summerhouse","user":{"id":491701234567,"name":"jane","description":"jane"},
            "logentry":{"formatted":"\(message)","message":"%s fell","params":["orchid"]},"request":{\(credentials)},
            "contexts":{"device":{"name":"jane","model":"iPhone16,1"}},"tags":[["server_name","summerhouse"]],
            "exception":{"values":[{"type":"Fell","value":"\(message)","stacktrace":{"frames":[
            {"function":"main","instruction_addr":"0x104a3069c","abs_path":"/Users/jane/a.swift","vars":{"name":"jane","weight":"8f2e11a7"}},
            {"instruction_addr":"0x104a30484"}]}}]},
            "debug_meta":{"images":[{"type":"macho","debug_id":"\(id)","image_addr":"0x104a2c000","image_size":65536,"code_file":"\(container)/Orchard"}]}}

            """)

    static let rust = Self(
        testDescription: "Rust",
        text: """
            thread 'main' panicked at src/main.rs:4:5:
            \(message)
            and orchid, 491701234567
            stack backtrace:
               0:     0x55d6f1c1b2a4 - cellar::pour::h2d0c6d2a4e5b1f00
                                           at /home/jane/src/main.rs:4:5
            thread 'main' panicked at 'orchid 491701234567', src/main.rs:4:5
            stack backtrace:
               0:     0x55d6f1c1b2a4 - cellar::pour::h2d0c6d2a4e5b1f00

            """)

    static let go = Self(
        testDescription: "Go",
        text: """
            panic: \(message)
            orchid

            goroutine 1 [running]:
            main.pour(...)
            \t/home/jane/main.go:8
            exit status 2
            panic: runtime error: index out of range [5] with length 3

            goroutine 1 [running]:
            main.main()
            \t/home/jane/main.go:20 +0x1d

            """)

    static let glog = Self(
        testDescription: "glog",
        text: """
            F20261124 18:35:16.731495 4711 Cellar.cpp:4] Check failed: litres > 0 \(message)
            *** Check failure stack trace: ***
                @     0x559ffbe37195 cellar::serve()
                @     0x559ffbe37200 main

            """)

    static let gdb = Self(
        testDescription: "gdb",
        text: """
            Core was generated by `/home/jane/cellar --token 8f2e11a7 orchid'.
            Program terminated with signal SIGABRT, Aborted.
            terminate called after throwing an instance of 'std::runtime_error'
              what():  \(message)
            Thread 1 (Thread 0x7ffff6dff640 (LWP 4712) "worker"):
            #0  0x0000555555555392 in pour (name=0x5555555592a0 "jane \\"8f2e11a7\\"", list={"jane", "a"...}) at /home/jane/Cellar.cpp:92
                    secrets = std::vector = {"jane", "8f2e11a7"}
            #1  0x00005555555554c7 in main (argc=1, argv=0x7fffffffe0a8) at /home/jane/Cellar.cpp:120

            """)

    static let lldb = Self(
        testDescription: "lldb",
        text: """
            * thread #1, name = 'cellar', stop reason = signal SIGSEGV: invalid address
              * frame #0: 0x0000555555555392 cellar`pour(name="jane") + 18 at Cellar.cpp:92:17
                frame #1: 0x00005555555554c7 cellar`main(argc=1, argv=0x00007fffffffe0a8) + 251 at Cellar.cpp:120:5

            """)

    static let coreDump = Self(
        testDescription: "coredumpctl",
        text: """
                       PID: 4711 (cellar)
                       UID: 1000 (jane)
                    Signal: 6 (ABRT)
              Command Line: /home/jane/cellar orchid
                Executable: /home/jane/cellar
                Machine ID: 8f2e11a74b0e4c579e4c0b1f6c1b7d20
                  Hostname: summerhouse
                   Message: Process 4711 (cellar) of user 1000 dumped core.

                            Module /home/jane/cellar with build-id a5a4612391f31a9ef9dd5cc0692d9d875da92822
                            Stack trace of thread 4711:
                            #0  0x000055f41410c38a n/a (cellar + 0x238a)
                            #1  0x000055f41410c4c7 n/a (cellar + 0x24c7)

            """)
}
