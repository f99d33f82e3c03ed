/*
 * Preloaded into a process, it makes writes and syncs of chosen files fail or take long. The file that FAULTY_DISK names
 * holds a rule a line: "write|sync <part of the path> <errno, 0 for none> <delay in ms>". It is read at each call. A part
 * that ends with $ is the end of the path.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fits(const char *path, char *part) {
  size_t length = strlen(part);
  if (length == 0 || part[length - 1] != '$') return strstr(path, part) != NULL;
  size_t whole = strlen(path);
  return whole >= length - 1 && strncmp(path + whole - (length - 1), part, length - 1) == 0;
}

/* Waits as the rules say; gives the errno of the fault, 0 for none. */
static int fault(const char *operation, int fd) {
  const char *rules = getenv("FAULTY_DISK");
  char link[64], path[4096], line[4096];
  if (rules == NULL || fd <= 2) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0 || path[0] != '/') return 0;
  path[length] = 0;
  FILE *file = fopen(rules, "re");
  if (file == NULL) return 0;
  int code = 0, delay = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    char on[16], part[2048];
    int errors, ms;
    if (sscanf(line, "%15s %2047s %d %d", on, part, &errors, &ms) != 4) continue;
    if (strcmp(on, operation) != 0 || !fits(path, part)) continue;
    code = errors;
    delay = ms;
  }
  fclose(file);
  if (delay > 0) usleep((useconds_t)delay * 1000);
  return code;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAILS(operation, fd)            \
  do {                                  \
    int code = fault(operation, fd);    \
    if (code != 0) {                    \
      errno = code;                     \
      return -1;                        \
    }                                   \
  } while (0)

ssize_t write(int fd, const void *bytes, size_t count) {
  FAILS("write", fd);
  return REAL(write)(fd, bytes, count);
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
  FAILS("write", fd);
  return REAL(pwrite)(fd, bytes, count, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  FAILS("write", fd);
  return REAL(pwrite64)(fd, bytes, count, at);
}
int fsync(int fd) {
  FAILS("sync", fd);
  return REAL(fsync)(fd);
}
int fdatasync(int fd) {
  FAILS("sync", fd);
  return REAL(fdatasync)(fd);
}
