// The three ways in which Swift apps most often stop.

struct Crate {
    var grams: UInt8

    @inline(never)
    func adding(_ more: UInt8) -> UInt8 {
        grams + more  // @line crate.overflow
    }
}

@inline(never)
func fillCrate(with more: UInt8) -> Int {
    Int(Crate(grams: more).adding(more)) &+ 1  // @line fill.add
}

@inline(never)
func owner(of tree: Int) -> Int? {
    tree > 3 ? nil : tree
}

@inline(never)
func greetOwner(of tree: Int) -> Int {
    owner(of: tree)! &+ 1  // @line greet.unwrap
}

@inline(__always)
func tree(_ row: Int, in trees: [Int]) -> Int {
    trees[row]  // @line tree.index
}

@inline(never)
func pick(_ row: Int, in trees: [Int]) -> Int {
    tree(row, in: trees) &+ 1  // @line pick.tree
}

@inline(never)
func pickRow(_ row: Int) -> Int {
    pick(row, in: [4, 8, 15]) &+ 1  // @line pickRow.pick
}
