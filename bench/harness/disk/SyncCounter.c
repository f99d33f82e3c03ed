/* Preloaded into a process, it writes a line with the file's path to the file that COUNTED_SYNCS names at each sync. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void count(int fd) {
  static int counts = -1;
  const char *name = getenv("COUNTED_SYNCS");
  char link[64], path[4096];
  if (name == NULL) return;
  if (counts < 0) counts = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = '\n';
  if (write(counts, path, (size_t)length + 1) < 0) abort();
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int fd) {
  count(fd);
  return REAL(fsync)(fd);
}
int fdatasync(int fd) {
  count(fd);
  return REAL(fdatasync)(fd);
}
