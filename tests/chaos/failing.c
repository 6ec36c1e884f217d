/* Lets a disk fail for one process: calls on files below CHAOS_FOLDER fail as `chaos_fail` says.
 * Loaded with LD_PRELOAD; the process itself calls chaos_fail(what, error, share).
 *
 * `what`: bits, 1 writes, 2 syncs, 4 truncations and creations, 8 reads.
 * `error`: the errno; `share`: how many of a thousand calls fail. A failing write may have written
 * a part of its data before, as on a disk that fills up.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failing_what, failing_errno, failing_share;
static unsigned failed;

void chaos_fail(int what, int error, int share) {
    failing_what = what;
    failing_errno = error;
    failing_share = share;
}
unsigned chaos_failed(void) { return failed; }

static int ours(const char *path) {
    const char *folder = getenv("CHAOS_FOLDER");
    return folder && !strncmp(path, folder, strlen(folder));
}
static int below(int fd) {
    char link[64], full[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, full, sizeof full - 1);
    if (length <= 0) return 0;
    full[length] = 0;
    return ours(full);
}
static int fails(int what) {
    if (!(failing_what & what) || rand() % 1000 >= failing_share) return 0;
    failed++;
    errno = failing_errno;
    return 1;
}

#define WRITES(name)                                                                   \
    ssize_t name(int fd, const void *data, size_t length, off_t offset) {              \
        ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, #name);   \
        if ((failing_what & 1) && below(fd) && fails(1)) {                             \
            int error = errno;                                                         \
            if (length > 1 && rand() % 2) return real(fd, data, length / 2, offset);   \
            errno = error;                                                             \
            return -1;                                                                 \
        }                                                                              \
        return real(fd, data, length, offset);                                         \
    }
WRITES(pwrite)
WRITES(pwrite64)

#define READS(name)                                                                    \
    ssize_t name(int fd, void *data, size_t length, off_t offset) {                    \
        ssize_t (*real)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, #name);         \
        if ((failing_what & 8) && below(fd) && fails(8)) return -1;                    \
        return real(fd, data, length, offset);                                         \
    }
READS(pread)
READS(pread64)

#define SYNCS(name)                                                                    \
    int name(int fd) {                                                                 \
        int (*real)(int) = dlsym(RTLD_NEXT, #name);                                    \
        if ((failing_what & 2) && below(fd) && fails(2)) return -1;                    \
        return real(fd);                                                               \
    }
SYNCS(fsync)
SYNCS(fdatasync)

#define TRUNCATES(name)                                                                \
    int name(int fd, off_t size) {                                                     \
        int (*real)(int, off_t) = dlsym(RTLD_NEXT, #name);                             \
        if ((failing_what & 4) && below(fd) && fails(4)) return -1;                    \
        return real(fd, size);                                                         \
    }
TRUNCATES(ftruncate)
TRUNCATES(ftruncate64)

#define OPENS(name)                                                                    \
    int name(const char *file, int flags, ...) {                                       \
        va_list rest;                                                                  \
        va_start(rest, flags);                                                         \
        mode_t mode = va_arg(rest, mode_t);                                            \
        va_end(rest);                                                                  \
        int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);                 \
        int writes = flags & (O_CREAT | O_WRONLY | O_RDWR);                            \
        if ((failing_what & 4) && writes && ours(file) && fails(4)) return -1;         \
        return real(file, flags, mode);                                                \
    }
OPENS(open)
OPENS(open64)
