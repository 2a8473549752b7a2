/* While the file $FAILING_SYNC is there, no sync succeeds, as on a disk that fails; with
 * $FAILING_LOCKS nothing can be locked, as on some network file systems. Loaded into the program
 * with LD_PRELOAD by failing_sync.rs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static int fails(void) {
  const char *path = getenv("FAILING_SYNC");
  if (!path || access(path, F_OK) != 0) return 0;
  errno = EIO;
  return 1;
}

#define SYNC(name) int name(int file) { static int (*real)(int); if (!real) real = dlsym(RTLD_NEXT, #name); return fails() ? -1 : real(file); }
SYNC(fsync)
SYNC(fdatasync)

int flock(int file, int operation) {
  static int (*real)(int, int);
  if (!real) real = dlsym(RTLD_NEXT, "flock");
  if (!getenv("FAILING_LOCKS")) return real(file, operation);
  errno = ENOLCK;
  return -1;
}
