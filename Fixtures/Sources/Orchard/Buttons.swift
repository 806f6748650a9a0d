// One button a scenario. The `&+ 1` after each call keeps this frame on the stack: without work left
// to do after it, the call would be a jump.

@_cdecl("orchard_button_tapped")
public func buttonTapped(_ button: Int) -> Int {
    switch button {
    case 1: return weighHarvest(crates: 1) &+ 1  // @line tap.weigh
    case 2: return fillCrate(with: 250) &+ 1  // @line tap.fill
    case 3: return greetOwner(of: 7) &+ 1  // @line tap.greet
    case 4: return pickRow(9) &+ 1  // @line tap.pick
    case 5: return pressCider(withYields: false) &+ 1  // @line tap.press
    case 6: return labelCrate() &+ 1  // @line tap.label
    case 7: return readRecipe() &+ 1  // @line tap.recipe
    case 8: return decodeTag() &+ 1  // @line tap.decode
    case 9: return sortRows() &+ 1  // @line tap.sort
    case 10: return rebuildIndex(rows: 60) &+ 1  // @line tap.rebuild
    case 11: return shrinkPrices() &+ 1  // @line tap.shrink
    case 12: return auditRows() &+ 1  // @line tap.audit
    case 13: return auditBushes() &+ 1  // @line tap.bushes
    case 15: return descend() &+ 1  // @line tap.descend
    default: return weighAnything(button) &+ 1  // @line tap.anything
    }
}

/// What a worker thread runs while the main thread crashes.
@_cdecl("orchard_index_in_background")
@inline(never)
public func indexInBackground() -> Int {
    rebuildIndex(rows: 20) &+ 1  // @line background.rebuild
}
