"""Runs the sample app's Mach-O binaries until they trap, and records the true call stack.

The call stack is not unwound. Every call and every return that executes is followed, so the stack
is true also where frame pointers or debug information would mislead.
"""
