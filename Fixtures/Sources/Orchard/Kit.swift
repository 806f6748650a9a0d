// The parts of OrchardKit that the app calls, and the one-line functions that call them.

@_silgen_name("ok_press_cider") func okPressCider(_ withYields: Int32) -> Int32
@_silgen_name("ok_label_crate") func okLabelCrate(_ grams: Int32) -> Int32
@_silgen_name("ok_read_recipe") func okReadRecipe(_ depth: Int32) -> Int32
@_silgen_name("ok_decode_tag") func okDecodeTag() -> Int32
@_silgen_name("ok_sort_rows") func okSortRows() -> Int32
@_silgen_name("ok_shrink_prices") func okShrinkPrices() -> Int32
@_silgen_name("ok_audit_rows") func okAuditRows() -> Int32
@_silgen_name("ok_audit_bushes") func okAuditBushes() -> Int32
@_silgen_name("ok_descend") func okDescend() -> Int32
@_silgen_name("ok_rebuild_index") func okRebuildIndex(_ rows: Int32) -> Int32

@inline(never)
func pressCider(withYields: Bool) -> Int {
    Int(okPressCider(withYields ? 1 : 0)) &+ 1  // @line press.kit
}

@inline(never)
func labelCrate() -> Int {
    Int(okLabelCrate(12)) &+ 1  // @line label.kit
}

@inline(never)
func readRecipe() -> Int {
    Int(okReadRecipe(0)) &+ 1  // @line recipe.kit
}

@inline(never)
func decodeTag() -> Int {
    Int(okDecodeTag()) &+ 1  // @line decode.kit
}

@inline(never)
func sortRows() -> Int {
    Int(okSortRows()) &+ 1  // @line sort.kit
}

@inline(never)
func shrinkPrices() -> Int {
    Int(okShrinkPrices()) &+ 1  // @line shrink.kit
}

@inline(never)
func auditRows() -> Int {
    Int(okAuditRows()) &+ 1  // @line audit.kit
}

@inline(never)
func auditBushes() -> Int {
    Int(okAuditBushes()) &+ 1  // @line bushes.kit
}

@inline(never)
func descend() -> Int {
    Int(okDescend()) &+ 1  // @line descend.kit
}

@inline(never)
func rebuildIndex(rows: Int32) -> Int {
    Int(okRebuildIndex(rows)) &+ 1  // @line rebuild.kit
}
