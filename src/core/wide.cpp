// SPDX-License-Identifier: Apache-2.0
#include "core/wide.h"

namespace talus {

std::string_view simdTarget() { return hwy::TargetName(HWY_TARGET); }

bool cpuSupportsBuild() {
    bool supported = true;
#if defined(__x86_64__)
    __builtin_cpu_init();
#ifdef __AVX2__
    supported = supported && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#endif
#ifdef __AES__
    supported = supported && __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
#endif
#ifdef __AVX512F__
    supported = supported && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif
#endif
    return supported;
}

}  // namespace talus
