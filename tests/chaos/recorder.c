/* Records what a process does to the files below one folder, in order, so that a power cut can be
 * played at any point of it. Loaded with LD_PRELOAD; CHAOS_FOLDER is watched, CHAOS_RECORD written.
 *
 * A record: kind (1 byte), path length (2), offset (8), data length (4), path, data.
 * Kinds: w write, s sync, t truncate (offset = size), c create, u unlink, d directory sync,
 * r rename (data = the new name).
 * Everything else is passed on untouched. Native byte order: reader and writer share a machine.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int record_fd = -2;
static char folder[4096];
static size_t folder_length;

static ssize_t (*real_write)(int, const void *, size_t);

static void begin(void) {
    if (record_fd != -2) return;
    record_fd = -1;
    real_write = dlsym(RTLD_NEXT, "write");
    const char *watched = getenv("CHAOS_FOLDER"), *record = getenv("CHAOS_RECORD");
    if (!watched || !record) return;
    snprintf(folder, sizeof folder, "%s/", watched);
    folder_length = strlen(folder);
    int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    record_fd = real_open(record, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* The path of a descriptor relative to the folder; 0 if it is not below it. */
static int below(int fd, char *path, size_t size) {
    begin();
    if (record_fd < 0 || fd == record_fd) return 0;
    char link[64], full[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, full, sizeof full - 2);
    if (length <= 0) return 0;
    full[length] = 0;
    if ((size_t)length == folder_length - 1 && !strncmp(full, folder, length)) {
        snprintf(path, size, ".");
        return 1;
    }
    if (strncmp(full, folder, folder_length)) return 0;
    snprintf(path, size, "%s", full + folder_length);
    return 1;
}

static void put(char kind, const char *path, uint64_t offset, const void *data, uint32_t length) {
    uint16_t path_length = strlen(path);
    char header[15];
    header[0] = kind;
    memcpy(header + 1, &path_length, 2);
    memcpy(header + 3, &offset, 8);
    memcpy(header + 11, &length, 4);
    struct iovec parts[3] = {{header, 15}, {(void *)path, path_length}, {(void *)data, length}};
    pthread_mutex_lock(&lock);
    ssize_t done = writev(record_fd, parts, 3);
    (void)done;
    pthread_mutex_unlock(&lock);
}

ssize_t write(int fd, const void *data, size_t length) {
    char path[4096];
    begin();
    int watched = below(fd, path, sizeof path);
    off_t at = watched ? lseek(fd, 0, SEEK_CUR) : 0;
    if (watched && (fcntl(fd, F_GETFL) & O_APPEND)) at = lseek(fd, 0, SEEK_END);
    ssize_t done = real_write(fd, data, length);
    if (watched && done > 0) put('w', path, at, data, done);
    return done;
}

static ssize_t pwrite_recorded(const char *name, int fd, const void *data, size_t length,
                               off_t offset) {
    ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, name);
    char path[4096];
    ssize_t done = real(fd, data, length, offset);
    if (done > 0 && below(fd, path, sizeof path)) put('w', path, offset, data, done);
    return done;
}
ssize_t pwrite(int fd, const void *d, size_t n, off_t o) {
    return pwrite_recorded("pwrite", fd, d, n, o);
}
ssize_t pwrite64(int fd, const void *d, size_t n, off_t o) {
    return pwrite_recorded("pwrite64", fd, d, n, o);
}

static int sync_recorded(const char *name, int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    char path[4096];
    int result = real(fd);
    if (result == 0 && below(fd, path, sizeof path)) {
        struct stat status;
        int folder_itself = fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
        put(folder_itself ? 'd' : 's', path, 0, "", 0);
    }
    return result;
}
int fsync(int fd) { return sync_recorded("fsync", fd); }
int fdatasync(int fd) { return sync_recorded("fdatasync", fd); }

static int truncate_recorded(const char *name, int fd, off_t size) {
    int (*real)(int, off_t) = dlsym(RTLD_NEXT, name);
    char path[4096];
    int result = real(fd, size);
    if (result == 0 && below(fd, path, sizeof path)) put('t', path, size, "", 0);
    return result;
}
int ftruncate(int fd, off_t size) { return truncate_recorded("ftruncate", fd, size); }
int ftruncate64(int fd, off_t size) { return truncate_recorded("ftruncate64", fd, size); }

static int open_recorded(const char *name, const char *file, int flags, mode_t mode) {
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, name);
    int existed = access(file, F_OK) == 0;
    int fd = real(file, flags, mode);
    char path[4096];
    if (fd >= 0 && (flags & O_CREAT) && !existed && below(fd, path, sizeof path))
        put('c', path, 0, "", 0);
    else if (fd >= 0 && (flags & O_TRUNC) && below(fd, path, sizeof path))
        put('t', path, 0, "", 0);
    return fd;
}
int open(const char *file, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open_recorded("open", file, flags, mode);
}
int open64(const char *file, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return open_recorded("open64", file, flags, mode);
}

int unlink(const char *file) {
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    begin();
    int result = real(file);
    if (result == 0 && record_fd >= 0 && !strncmp(file, folder, folder_length))
        put('u', file + folder_length, 0, "", 0);
    return result;
}

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    begin();
    int result = real(from, to);
    if (result == 0 && record_fd >= 0 && !strncmp(from, folder, folder_length))
        put('r', from + folder_length, 0, to + folder_length, strlen(to + folder_length));
    return result;
}
