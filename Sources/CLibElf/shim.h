#pragma once

#include <gelf.h>
#include <libelf.h>
