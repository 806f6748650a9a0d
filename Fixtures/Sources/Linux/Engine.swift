// The Swift part of the Linux programs, with the whole standard library. Its argument chooses how it
// stops.

struct Belt<Item> {
    var item: Item

    @inline(__always)
    func moved<Result>(_ body: (Item) -> Result) -> Result {
        body(item)  // @line belt.body
    }
}

enum Fault: Error {
    case late(Int)
}

final class Engine {
    var parts = Array(0..<8)

    @inline(__always)
    func part(_ index: Int) -> Int {
        parts[index]  // @line part.index
    }

    @inline(__always)
    func pair(_ index: Int) -> Int {
        part(index) &+ part(index + 1)  // @line pair.part
    }

    @inline(never)
    func run(_ index: Int) -> Int {
        pair(index) &+ 1  // @line run.pair
    }
}

@inline(never)
func drive(_ engine: Engine, over indices: [Int]) -> Int {
    var sum = 0
    for index in indices {
        sum &+= engine.run(index)  // @line drive.run
    }
    return sum
}

@inline(never)
func lookUp(_ name: String, in grams: [String: Int]) -> Int {
    grams[name]! &+ 1  // @line lookUp.unwrap
}

@main
struct EngineApp {
    static func main() {
        switch CommandLine.arguments.count {
        case 1: print(drive(Engine(), over: [1, 2, 6, 7]))  // @line engineMain.drive
        default: print(lookUp("pear", in: ["apple": 1]))  // @line engineMain.lookUp
        }
    }
}
