import SymbolStores
import SymbolUpload

/// Reports that a service symbolicates, each printed when it is answered; JSON as one document.
struct RemoteRun {
    let connection: ServerConnection
    /// As the service calls it.
    let format: String

    /// - Throws: How the run ends, unless all was answered.
    func run(_ inputs: [String]) async throws {
        var documents: [[UInt8]] = []
        var answerCount = 0
        var failed = false
        var emptyFileCount = 0
        for input in inputs {
            do {
                let bytes = try InputBytes(input).read()
                guard let answer = try await answer(to: bytes, of: input) else {
                    emptyFileCount += input == "-" ? 0 : 1
                    if format == "same" { Console.result(bytes) }
                    continue
                }
                answerCount += 1
                if format == "json" {
                    documents.append(answer)
                } else if format == "same" {
                    Console.result(answer)
                } else {
                    let heading = inputs.count > 1 ? "==> \(InputBytes(input).name) <==\n" : ""
                    Console.result(Array(((answerCount > 1 ? "\n" : "") + heading).utf8) + answer)
                }
            } catch let error as SymbolStoreError {
                Console.problem(error)
                failed = true
            }
        }
        print(documents)
        if failed || (emptyFileCount > 0 && answerCount > 0) { throw Outcome.someFailed }
        if emptyFileCount > 0 { throw Outcome.nothingFound }
    }

    private func answer(to bytes: [UInt8], of input: String) async throws -> [UInt8]? {
        let answer = try await connection.symbolicate(bytes, format: format)
        if answer == nil {
            Console.problem(
                "\(InputBytes(input).name): \(connection.address) finds no diagnostic in it: "
                    + "give a crash or hang report")
        }
        return answer
    }

    /// The answers of several inputs are an array, as those of several diagnostics in one are.
    private func print(_ documents: [[UInt8]]) {
        switch documents.count {
        case 0: break
        case 1: Console.result(documents[0] + [UInt8(ascii: "\n")])
        default:
            let elements = documents.map(Self.elements)
            Console.result(
                Array("[".utf8) + elements.joined(separator: Array(",\n".utf8)) + Array("]\n".utf8))
        }
    }

    /// What stands between the brackets of an array; the whole of any other document.
    private static func elements(of json: [UInt8]) -> ArraySlice<UInt8> {
        let isArray = json.first == UInt8(ascii: "[") && json.last == UInt8(ascii: "]")
        return isArray ? json.dropFirst().dropLast() : json[...]
    }
}
