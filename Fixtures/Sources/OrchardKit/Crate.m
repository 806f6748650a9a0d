#include "OrchardKit.h"

__attribute__((objc_root_class))
@interface OKObject {
  Class isa;
}
+ (id)alloc;
- (id)init;
@end

@interface OKCrate : OKObject {
  int _grams;
}
- (int)labelWithGrams:(int)grams;
@end

@interface OKCrate (Pricing)
- (int)priceForGrams:(int)grams;
@end

static __attribute__((noinline)) int each_side(int (^body)(int), int sides) {
  return body(sides) + 1;  // @line sides.body
}

@implementation OKCrate
- (int)labelWithGrams:(int)grams {
  _grams += grams;
  return each_side(^(int side) {  // @line label.sides
           return [self priceForGrams:side] + grams;  // @line block.price
         },
         grams) + 2;
}
@end

@implementation OKCrate (Pricing)
- (int)priceForGrams:(int)grams {
  ok_batch batch = {&grams, 1, (const int *)16};
  return ok_price(&batch) / 2;  // @line category.price
}
@end

int ok_label_crate(int grams) {
  OKCrate *crate = [[OKCrate alloc] init];
  return [crate labelWithGrams:grams] + 1;  // @line crate.label
}
