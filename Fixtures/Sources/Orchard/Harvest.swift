public protocol Fruit {
    func grams(perCrate crates: Int) -> Int
}

public struct Apple: Fruit {
    var total: Int

    @inline(__always)
    public func grams(perCrate crates: Int) -> Int {
        peeled(crates) &+ 1  // @line apple.grams
    }

    @inline(__always)
    func peeled(_ crates: Int) -> Int {
        share(total, among: crates)  // @line apple.peeled
    }
}

/// A second conformance, so that a call through `any Fruit` stays a call.
public struct Pear: Fruit {
    var total: Int

    @inline(never)
    public func grams(perCrate crates: Int) -> Int {
        share(total, among: crates &- 2)  // @line pear.grams
    }
}

@inline(__always)
func share(_ total: Int, among crates: Int) -> Int {
    total / crates  // @line share.divide
}

@inline(never)
func weigh<F: Fruit>(_ left: F, _ right: F, crates: Int) -> Int {
    left.grams(perCrate: crates)  // @line weigh.left
        &+ right.grams(perCrate: crates &- 1)  // @line weigh.right
}

public final class Basket {
    let left: Apple
    let right: Apple

    init(left: Apple, right: Apple) {
        self.left = left
        self.right = right
    }

    @inline(never)
    func visit(_ body: (Int) -> Int) -> Int {
        body(left.total) &+ 3  // @line basket.visit
    }

    @inline(never)
    func weighAll(crates: Int) -> Int {
        visit { extra in  // @line basket.weighAll
            weigh(left, right, crates: crates) &+ extra  // @line basket.closure
        } &+ 7
    }
}

@inline(never)
func weighHarvest(crates: Int) -> Int {
    let basket = Basket(left: Apple(total: 900), right: Apple(total: 450))
    return basket.weighAll(crates: crates) &+ 1  // @line harvest.weigh
}

@inline(never)
func someFruit(_ button: Int) -> any Fruit {
    button > 100 ? Apple(total: button) : Pear(total: button)
}

@inline(never)
func weighAnything(_ button: Int) -> Int {
    let fruit = someFruit(button)
    return fruit.grams(perCrate: 2) &+ 1  // @line anything.grams
}
