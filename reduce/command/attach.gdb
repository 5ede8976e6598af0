# SPDX-License-Identifier: LGPL-2.1-or-later
#
# attach.gdb -- brings the monitor into a process, or lets it end there.
# attach.c sets $end to what ends it, or to 0, $path to the monitor's library,
# and $settings to what it is told.  Lines that begin with mprof: are for
# attach.c; what the shell writes comes at once.
#
# The process is stopped at its next call of the allocator, or by SIGSTOP
# where the dynamic linker is not changing its list: 24 is where struct
# r_debug has its state, and 0 says that it is consistent.
set pagination off
set confirm off
set width 0
set unwindonsignal on
handle all nostop noprint pass
handle SIGSTOP stop nopass
break malloc
break calloc
break realloc
break free
set $safe = 0
while $safe == 0
  shell echo mprof:waiting
  continue
  shell echo mprof:stopped
  if *(int *)((char *)&_r_debug + 24) == 0
    set $safe = 1
  end
end
delete
handle SIGSTOP nostop noprint nopass
if $end != 0
  call ((void (*)(void))$end)()
  printf "mprof:status 0\n"
else
  set $open = (void *(*)(const char *, int))dlopen
  set $find = (void *(*)(void *, const char *))dlsym
  set $library = $open($path, 2)
  if $library == 0
    printf "mprof:error %s\n", ((const char *(*)(void))dlerror)()
  else
    set $end = $find($library, "mprof_detach")
    set $begin = $find($library, "mprof_attach")
    set $why = ((const char *(*)(const char *))$begin)($settings)
    if $why == 0
      printf "mprof:address %llu\n", (unsigned long long)$end
    else
      printf "mprof:error %s\n", $why
    end
  end
end
detach
