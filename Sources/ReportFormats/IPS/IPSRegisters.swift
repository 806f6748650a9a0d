import CallStacks
import JSONText

extension Registers {
    /// Reads a thread's `threadState`. Returns `nil` for an unknown processor.
    init?(ipsState state: JSONValue) {
        let flavor = state["flavor"]?.string
        switch flavor {
        case "ARM_THREAD_STATE64":
            self.init(kind: "ARM Thread State (64-bit)", values: Self.armValues(state))
            meaning = state["esr"]?["description"]?.nonEmpty
        case "x86_THREAD_STATE":
            self.init(kind: "X86 Thread State (64-bit)", values: Self.x86Values(state))
        default: return nil
        }
        if values.isEmpty { return nil }
        if values.last?.name != "esr" { meaning = nil }
    }

    private static func armValues(_ state: JSONValue) -> [Register] {
        var values: [Register] = []
        if let general = state["x"] {
            for (number, register) in general.elements.prefix(29).enumerated() {
                if let value = value(register) { values.append(Register("x\(number)", value)) }
            }
        }
        let others = ["fp", "lr", "sp", "pc", "cpsr", "far", "esr"]
        return values + others.compactMap { self.register($0, state: state, key: $0) }
    }

    private static func x86Values(_ state: JSONValue) -> [Register] {
        let names = [
            "rax", "rbx", "rcx", "rdx", "rdi", "rsi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12",
            "r13", "r14", "r15", "rip", "rflags", "cr2",
        ]
        return names.compactMap { register($0 == "rflags" ? "rfl" : $0, state: state, key: $0) }
    }

    private static func register(_ name: String, state: JSONValue, key: String) -> Register? {
        state[key].flatMap(value).map { Register(name, $0) }
    }

    private static func value(_ register: JSONValue) -> UInt64? {
        register["value"].flatMap(UInt64.init(lenient:))
    }
}
