/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a program (LD_PRELOAD), makes one call of it fail or its clock jump. TALUS_FAULT says which:
 *     files:N:ERRNO    the N-th call that writes, makes, renames, cuts or flushes a file, and every later one of that kind if N ends in '+'
 *     memory:N         the N-th allocation of at least 1 KiB finds no memory
 *     clock:N:SECONDS  from the N-th look on, the clock of the day is off by so much
 *     count            nothing fails; at the end the numbers of calls of each kind go to the file TALUS_FAULT_COUNT names */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum Kind { kNone, kCount, kFiles, kMemory, kClock };
static enum Kind kind;
static long place;        /* which call, from 1 */
static int lasts;         /* all later calls as well */
static long amount;       /* error number, or seconds */
static atomic_long files, allocations, looks;

__attribute__((constructor)) static void begin(void) {
    const char* fault = getenv("TALUS_FAULT");
    if (!fault) return;
    const char* colon = strchr(fault, ':');
    char* end = NULL;
    if (colon) {
        place = strtol(colon + 1, &end, 10);
        lasts = *end == '+';
        if (lasts) ++end;
        if (*end == ':') amount = strtol(end + 1, NULL, 10);
    }
    if (strncmp(fault, "count", 5) == 0) kind = kCount;
    if (strncmp(fault, "files:", 6) == 0) kind = kFiles;
    if (strncmp(fault, "memory:", 7) == 0) kind = kMemory;
    if (strncmp(fault, "clock:", 6) == 0) kind = kClock;
}

__attribute__((destructor)) static void end(void) {
    const char* name = getenv("TALUS_FAULT_COUNT");
    if (kind != kCount || !name) return;
    const long counts[3] = {atomic_load(&files), atomic_load(&allocations), atomic_load(&looks)};
    FILE* out = fopen(name, "w");
    if (!out) return;
    fprintf(out, "{\"files\": %ld, \"memory\": %ld, \"clock\": %ld}\n", counts[0], counts[1], counts[2]);
    fclose(out);
}

static int isDue(enum Kind which, long call) { return kind == which && (call == place || (lasts && call > place)); }
static int fileFails(void) {
    if (!isDue(kFiles, atomic_fetch_add(&files, 1) + 1)) return 0;
    errno = (int)amount;
    return 1;
}
/* Only files: what the program prints is not counted. */
static int isFile(int fd) {
    struct stat status;
    return fd > 2 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void* data, size_t size) { return isFile(fd) && fileFails() ? -1 : NEXT(write)(fd, data, size); }
ssize_t writev(int fd, const struct iovec* parts, int count) { return isFile(fd) && fileFails() ? -1 : NEXT(writev)(fd, parts, count); }
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) { return isFile(fd) && fileFails() ? -1 : NEXT(pwrite)(fd, data, size, at); }
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) { return isFile(fd) && fileFails() ? -1 : NEXT(pwrite64)(fd, data, size, at); }
int fsync(int fd) { return isFile(fd) && fileFails() ? -1 : NEXT(fsync)(fd); }
int fdatasync(int fd) { return isFile(fd) && fileFails() ? -1 : NEXT(fdatasync)(fd); }
int ftruncate(int fd, off_t size) { return fileFails() ? -1 : NEXT(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { return fileFails() ? -1 : NEXT(ftruncate64)(fd, size); }
int rename(const char* from, const char* to) { return fileFails() ? -1 : NEXT(rename)(from, to); }
int mkdir(const char* path, mode_t mode) { return fileFails() ? -1 : NEXT(mkdir)(path, mode); }

#define OPEN(name)                                               \
    int name(const char* path, int flags, ...) {                 \
        va_list more;                                            \
        va_start(more, flags);                                   \
        const mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0; \
        va_end(more);                                            \
        return (flags & O_CREAT) && fileFails() ? -1 : NEXT(name)(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
FILE* fopen(const char* path, const char* mode) { return *mode != 'r' && fileFails() ? NULL : NEXT(fopen)(path, mode); }
FILE* fopen64(const char* path, const char* mode) { return *mode != 'r' && fileFails() ? NULL : NEXT(fopen64)(path, mode); }

/* dlsym itself may allocate: glibc's own entry points are called instead. */
extern void* __libc_malloc(size_t);
extern void* __libc_memalign(size_t, size_t);
static int memoryFails(size_t size) {
    if (size < 1024 || !isDue(kMemory, atomic_fetch_add(&allocations, 1) + 1)) return 0;
    errno = ENOMEM;
    return 1;
}
void* malloc(size_t size) { return memoryFails(size) ? NULL : __libc_malloc(size); }
void* aligned_alloc(size_t alignment, size_t size) { return memoryFails(size) ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void** out, size_t alignment, size_t size) {
    if (memoryFails(size)) return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

static long clockIsOff(void) {
    const long look = atomic_fetch_add(&looks, 1) + 1;
    return kind == kClock && look >= place ? amount : 0;
}
int clock_gettime(clockid_t id, struct timespec* out) {
    const int result = NEXT(clock_gettime)(id, out);
    if (id == CLOCK_REALTIME) out->tv_sec += clockIsOff();
    return result;
}
int gettimeofday(struct timeval* restrict out, void* restrict zone) {
    const int result = NEXT(gettimeofday)(out, zone);
    out->tv_sec += clockIsOff();
    return result;
}
time_t time(time_t* out) {
    const time_t now = NEXT(time)(NULL) + clockIsOff();
    if (out) *out = now;
    return now;
}
