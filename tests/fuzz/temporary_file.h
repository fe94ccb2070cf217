// SPDX-License-Identifier: Apache-2.0
// For readers that open files: one file in memory where the system has such a folder, written anew for each input.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>

namespace talus::fuzz {

class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& name) {
        const std::filesystem::path memory = "/dev/shm";
        path_ = (std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) /
                ("talus-fuzz-" + std::to_string(::getpid()) + "-" + name);
    }
    ~TemporaryFile() {
        std::error_code gone;
        std::filesystem::remove(path_, gone);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::filesystem::path& path() const { return path_; }
    void hold(std::string_view bytes) const {
        std::FILE* file = std::fopen(path_.c_str(), "wb");
        if (file == nullptr) return;
        std::fwrite(bytes.data(), 1, bytes.size(), file);
        std::fclose(file);
    }

private:
    std::filesystem::path path_;
};

}  // namespace talus::fuzz
