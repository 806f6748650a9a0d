import PostgreSQL
import Testing

@Suite("Statements")
struct StatementTests {
    @Test("a NUL character is refused in text, in arrays and in the statement")
    func nul() {
        #expect(throws: DatabaseError.invalidStatement("parameter $2 contains a NUL character")) {
            try Statement("SELECT $1, $2", [.value(1, .int4), .value("a\0b", .text)])
        }
        #expect(throws: DatabaseError.invalidStatement("parameter $1 contains a NUL character")) {
            try Statement("SELECT $1", [.value(["a", "\0"], .array(of: .text))])
        }
        #expect(throws: DatabaseError.invalidStatement("statement contains a NUL character")) {
            try Statement("SELECT 1\0")
        }
    }

    @Test("more parameters than the protocol counts are refused")
    func count() throws {
        let parameters = Array(repeating: Parameter.value(true, .bool), count: 65_536)
        #expect(throws: DatabaseError.self) { try Statement("SELECT 1", parameters) }
        _ = try Statement("SELECT 1", Array(parameters.dropLast()))
    }
}
