#pragma once

#include "noise/kernels.hpp"

namespace tacit::inline v1::noise {

#if defined(__x86_64__)
// To be called only where the processor has AVX2 and FMA.
const Kernels& avx2_kernels();
#endif

}  // namespace tacit::inline v1::noise
