/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The socket that listens.  It is made here and not by libmicrohttpd, which
 * does not say what went wrong.
 */

#include "serve/serving.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool
is_loopback(const struct sockaddr *address)
{
  const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
  const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
  return address->sa_family == AF_INET
             ? ntohl(v4->sin_addr.s_addr) >> 24 == 127
             : IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

int
listen_to(const struct serve_options *options, bool *loopback, char *message)
{
  const char *where =
      options->address == NULL ? "127.0.0.1" : options->address;
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                 .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV |
                                             AI_PASSIVE};
  struct addrinfo *found;
  char port[16];
  const int on = 1;
  snprintf(port, sizeof port, "%u", options->port);
  const int wrong = options->port > 65535
                        ? EAI_SERVICE
                        : getaddrinfo(where, port, &hints, &found);
  if (wrong != 0) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH,
             "cannot serve at %s, port %s: %s", where, port,
             gai_strerror(wrong));
    return -1;
  }
  *loopback = is_loopback(found->ai_addr);
  const int s =
      socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s < 0 || setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(s, found->ai_addr, found->ai_addrlen) != 0 ||
      listen(s, 128) != 0) {
    snprintf(message, PROGRAM_MESSAGE_LENGTH,
             "cannot serve at %s, port %s: %s", where, port,
             strerrordesc_np(errno));
    if (s >= 0)
      close(s);
    freeaddrinfo(found);
    return -1;
  }
  freeaddrinfo(found);
  return s;
}
