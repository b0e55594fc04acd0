// As on a file system whose locks have no effect: every lock is given, to whoever asks.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>

static int answer(const char *name, int fd, int command, void *argument) {
  if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW) return 0;
  int (*real)(int, int, void *) = (int (*)(int, int, void *))dlsym(RTLD_NEXT, name);
  return real(fd, command, argument);
}

int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return answer("fcntl", fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return answer("fcntl64", fd, command, argument);
}
