/* Lets a card stall for one process: a sync below CHAOS_FOLDER takes up to CHAOS_STALL_MS longer.
 * Loaded with LD_PRELOAD. One sync in four stalls, each for a time of its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int below(int fd) {
    char link[64], full[4096];
    const char *folder = getenv("CHAOS_FOLDER");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, full, sizeof full - 1);
    if (length <= 0 || !folder) return 0;
    full[length] = 0;
    return !strncmp(full, folder, strlen(folder));
}
static void stall(int fd) {
    const char *most = getenv("CHAOS_STALL_MS");
    if (!most || !below(fd) || rand() % 4) return;
    long ms = rand() % (atol(most) + 1);
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

#define SYNCS(name)                                       \
    int name(int fd) {                                    \
        int (*real)(int) = dlsym(RTLD_NEXT, #name);       \
        stall(fd);                                        \
        return real(fd);                                  \
    }
SYNCS(fsync)
SYNCS(fdatasync)
