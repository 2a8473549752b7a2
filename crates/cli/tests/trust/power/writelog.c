/* Writes down everything that a process does to the files below $WRITELOG_ROOT, in the order in
 * which it was done, into $WRITELOG_FILE. Loaded into the program with LD_PRELOAD; power_cut.rs
 * reads the log and makes of it what a disk would hold after a power cut.
 *
 * A record: kind (1 byte), lengths of path, second path and data (4 bytes each), offset (8 bytes),
 * all little-endian, and then the three texts. It is written by one call, so that the records of
 * several threads do not mix. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 65536
static char *names[FILES];
static int log_file = -1;
static const char *root;

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, name)

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("WRITELOG_FILE");
  root = getenv("WRITELOG_ROOT");
  if (path && root) log_file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static int ours(const char *path) {
  return log_file >= 0 && path && strncmp(path, root, strlen(root)) == 0;
}

static const char *name_of(int file) { return file >= 0 && file < FILES ? names[file] : NULL; }

static void put(char kind, const char *path, const char *other, uint64_t offset, const void *data, size_t length) {
  uint32_t sizes[3] = { (uint32_t)strlen(path), other ? (uint32_t)strlen(other) : 0, (uint32_t)length };
  size_t all = 1 + sizeof sizes + sizeof offset + sizes[0] + sizes[1] + length;
  char *record = malloc(all), *at = record;
  if (!record) abort();
  *at++ = kind;
  memcpy(at, sizes, sizeof sizes); at += sizeof sizes;
  memcpy(at, &offset, sizeof offset); at += sizeof offset;
  memcpy(at, path, sizes[0]); at += sizes[0];
  if (other) { memcpy(at, other, sizes[1]); at += sizes[1]; }
  if (length) memcpy(at, data, length);
  if (syscall(SYS_write, log_file, record, all) != (long)all) abort();
  free(record);
}

static int opened(int file, const char *path, int flags) {
  if (file >= 0 && file < FILES && ours(path)) {
    free(names[file]);
    names[file] = strdup(path);
    if (flags & O_CREAT) put('c', path, NULL, 0, NULL, 0);
    if (flags & O_TRUNC) put('t', path, NULL, 0, NULL, 0);
  }
  return file;
}

#define MODE(flags) mode_t mode = 0; if ((flags) & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }
int open(const char *path, int flags, ...) { MODE(flags) REAL(int, "open", const char *, int, ...); return opened(real(path, flags, mode), path, flags); }
int open64(const char *path, int flags, ...) { MODE(flags) REAL(int, "open64", const char *, int, ...); return opened(real(path, flags, mode), path, flags); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) REAL(int, "openat", int, const char *, int, ...); return opened(real(at, path, flags, mode), path, flags); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags) REAL(int, "openat64", int, const char *, int, ...); return opened(real(at, path, flags, mode), path, flags); }

int close(int file) {
  REAL(int, "close", int);
  if (name_of(file)) { free(names[file]); names[file] = NULL; }
  return real(file);
}

static ssize_t wrote(int file, const void *data, ssize_t done, uint64_t offset) {
  if (done > 0 && name_of(file)) put('w', name_of(file), NULL, offset, data, (size_t)done);
  return done;
}

ssize_t write(int file, const void *data, size_t length) {
  REAL(ssize_t, "write", int, const void *, size_t);
  ssize_t done = real(file, data, length);
  if (done <= 0 || !name_of(file)) return done;
  return wrote(file, data, done, (uint64_t)(lseek(file, 0, SEEK_CUR) - done));
}
ssize_t pwrite(int file, const void *data, size_t length, off_t at) { REAL(ssize_t, "pwrite", int, const void *, size_t, off_t); return wrote(file, data, real(file, data, length, at), (uint64_t)at); }
ssize_t pwrite64(int file, const void *data, size_t length, off64_t at) { REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t); return wrote(file, data, real(file, data, length, at), (uint64_t)at); }
ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  ssize_t done = real(file, parts, count);
  if (done <= 0 || !name_of(file)) return done;
  uint64_t at = (uint64_t)(lseek(file, 0, SEEK_CUR) - done);
  ssize_t left = done;
  for (int part = 0; part < count && left > 0; part++) {
    ssize_t length = (ssize_t)parts[part].iov_len < left ? (ssize_t)parts[part].iov_len : left;
    wrote(file, parts[part].iov_base, length, at);
    at += (uint64_t)length;
    left -= length;
  }
  return done;
}
/* Copies inside the kernel are read back. */
ssize_t copy_file_range(int from, off64_t *from_at, int file, off64_t *at, size_t length, unsigned flags) {
  REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
  ssize_t done = real(from, from_at, file, at, length, flags);
  if (done > 0 && name_of(file)) {
    uint64_t where = (uint64_t)(at ? *at : lseek(file, 0, SEEK_CUR)) - (uint64_t)done;
    char *data = malloc((size_t)done);
    int again = (int)syscall(SYS_openat, AT_FDCWD, name_of(file), O_RDONLY | O_CLOEXEC, 0);
    if (!data || again < 0 || syscall(SYS_pread64, again, data, done, where) != done) abort();
    wrote(file, data, done, where);
    syscall(SYS_close, again);
    free(data);
  }
  return done;
}

int ftruncate(int file, off_t length) { REAL(int, "ftruncate", int, off_t); int done = real(file, length); if (!done && name_of(file)) put('t', name_of(file), NULL, (uint64_t)length, NULL, 0); return done; }
int ftruncate64(int file, off64_t length) { REAL(int, "ftruncate64", int, off64_t); int done = real(file, length); if (!done && name_of(file)) put('t', name_of(file), NULL, (uint64_t)length, NULL, 0); return done; }
int fsync(int file) { REAL(int, "fsync", int); int done = real(file); if (!done && name_of(file)) put('s', name_of(file), NULL, 0, NULL, 0); return done; }
int fdatasync(int file) { REAL(int, "fdatasync", int); int done = real(file); if (!done && name_of(file)) put('s', name_of(file), NULL, 0, NULL, 0); return done; }
int rename(const char *from, const char *to) { REAL(int, "rename", const char *, const char *); int done = real(from, to); if (!done && ours(to)) put('r', from, to, 0, NULL, 0); return done; }
int link(const char *from, const char *to) { REAL(int, "link", const char *, const char *); int done = real(from, to); if (!done && ours(to)) put('l', from, to, 0, NULL, 0); return done; }
int linkat(int a, const char *from, int b, const char *to, int flags) { REAL(int, "linkat", int, const char *, int, const char *, int); int done = real(a, from, b, to, flags); if (!done && ours(to)) put('l', from, to, 0, NULL, 0); return done; }
int unlink(const char *path) { REAL(int, "unlink", const char *); int done = real(path); if (!done && ours(path)) put('u', path, NULL, 0, NULL, 0); return done; }
int mkdir(const char *path, mode_t mode) { REAL(int, "mkdir", const char *, mode_t); int done = real(path, mode); if (!done && ours(path)) put('m', path, NULL, 0, NULL, 0); return done; }
int rmdir(const char *path) { REAL(int, "rmdir", const char *); int done = real(path); if (!done && ours(path)) put('d', path, NULL, 0, NULL, 0); return done; }
