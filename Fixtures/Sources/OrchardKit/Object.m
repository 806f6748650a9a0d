// A root class, so that the framework needs no Foundation.

#include "OrchardKit.h"

__attribute__((objc_root_class))
@interface OKObject {
  Class isa;
}
+ (id)alloc;
- (id)init;
@end

@implementation OKObject
+ (id)alloc {
  return (id)0;
}
- (id)init {
  return self;
}
@end
