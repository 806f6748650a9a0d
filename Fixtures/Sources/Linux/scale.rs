// The Rust part of the Linux programs. It does without the standard library, whose debug information
// is a hundred times larger than its own.

#![no_std]
#![no_main]

use core::arch::asm;
use core::panic::PanicInfo;

#[panic_handler]
fn stop(_: &PanicInfo) -> ! {
    refuse()
}

#[inline(always)]
fn refuse() -> ! {
    unsafe { asm!("ud2", options(noreturn)) } // @line refuse.trap
}

struct Scale<const N: usize> {
    weights: [i32; N],
}

impl<const N: usize> Scale<N> {
    #[inline(always)]
    fn weight(&self, index: usize) -> i32 {
        if index >= N {
            refuse() // @line weight.refuse
        }
        self.weights[index]
    }

    #[inline(always)]
    fn pair(&self, index: usize) -> i32 {
        self.weight(index) // @line pair.left
            ^ self.weight(index + 3) // @line pair.right
    }
}

#[inline(never)]
fn weigh(scale: &Scale<4>, last: usize) -> i32 {
    let pair = |index| scale.pair(index); // @line closure.pair
    pair(0) + pair(last) // @line weigh.pair
}

#[no_mangle]
pub extern "C" fn main(arguments: i32, _: *const *const u8) -> i32 {
    let scale = Scale { weights: [arguments; 4] };
    weigh(&scale, arguments as usize) + 1 // @line rustMain.weigh
}
