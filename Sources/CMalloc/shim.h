#pragma once

/// The allocator settings of glibc, which Swift's module for glibc does not include.
#include <malloc.h>
